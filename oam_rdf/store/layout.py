"""A knowledge base on disk: which file lies where (architecture.md, "A knowledge base on disk")."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.namespaces import DEFAULT_BASE


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below the knowledge base's folder."""

    root: Path

    @property
    def config(self) -> Path:
        return self.root / "oam.toml"

    @property
    def originals(self) -> Path:
        return self.root / "originals"

    @property
    def live(self) -> Path:
        return self.root / "live"

    @property
    def history(self) -> Path:
        """Copies of changed and removed objects: a store of their own, so that the union of ``live`` never holds them."""
        return self.root / "history"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def journal(self) -> Path:
        return self.root / "journal.json"

    @property
    def published(self) -> Path:
        return self.root / "published"

    @property
    def current(self) -> Path:
        return self.published / "CURRENT"

    @property
    def embeddings(self) -> Path:
        return self.root / "embeddings.sqlite"

    @property
    def certificates(self) -> Path:
        return self.root / "certificates.sqlite"

    @property
    def trails(self) -> Path:
        """Steps of people and agents, for loop detection. Need not exist."""
        return self.root / "trails.sqlite"

    @property
    def ontology(self) -> Path:
        """Turtle of the knowledge base's own, such as directions, beside what ships. Need not exist."""
        return self.root / "ontology"

    @property
    def log(self) -> Path:
        return self.root / "log.md"

    @property
    def synonyms(self) -> Path:
        """The knowledge base's own groups of synonyms, beside those that ship. Need not exist."""
        return self.root / "synonyms.toml"

    @property
    def words(self) -> Path:
        """The knowledge base's own dictionary words, one a line. Need not exist; another list means another index."""
        return self.root / "words.txt"


_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Config:
    """``oam.toml``: data, never code. It can run nothing and load no model that is not named by the user's flags."""

    base: str = DEFAULT_BASE
    languages: tuple[str, ...] = ("zh-Hant", "en")
    profile: str = "default"
    embedder: str = "e5"
    statements: str = "said"
    lexical: str = "whoosh"
    max_file_bytes: int = 64 * 1024 * 1024
    extra: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def load(path: Path) -> Config:
        """Read ``oam.toml``; raises :class:`ConfigError` with the place of the mistake."""
        try:
            table = tomllib.loads(path.read_text("utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"not valid TOML: {error}", place=str(path), hint="correct that line") from error
        known = {
            "base": str,
            "languages": list,
            "profile": str,
            "embedder": str,
            "statements": str,
            "lexical": str,
            "max_file_bytes": int,
        }
        values: dict[str, Any] = {}
        for key, value in table.items():
            if key not in known:
                continue  # unknown keys are data of somebody else; nothing here ever runs them
            if not isinstance(value, known[key]) or isinstance(value, bool):
                raise ConfigError(f"{key} must be a {known[key].__name__}", place=str(path))
            values[key] = tuple(map(str, value)) if isinstance(value, list) else value
        config = Config(**values)
        check_base(config.base, str(path))
        for language in config.languages:
            if not _LANGUAGE.fullmatch(language):
                raise ConfigError(f"{language!r} is not a language tag", place=str(path), hint="for example zh-Hant or en")
        if config.statements not in ("said", "all"):
            raise ConfigError('statements must be "said" or "all"', place=str(path))
        if config.lexical not in ("whoosh", "tantivy"):
            raise ConfigError('lexical must be "whoosh" or "tantivy"', place=str(path))
        if not Embedders.trusted(config.embedder):
            raise ConfigError(
                f"embedder {config.embedder!r} is not one that a config file may choose",
                place=str(path),
                hint='use embedder = "e5", "e5:nano" or "none"; name any other one by --embedder or OAM_EMBEDDER',
            )
        return config

    def dump(self) -> str:
        # A JSON string or list of strings is written the same way in TOML.
        rows = [
            f"{name} = {json.dumps(value, ensure_ascii=False)}"
            for name, value in (
                ("base", self.base),
                ("languages", list(self.languages)),
                ("profile", self.profile),
                ("embedder", self.embedder),
                ("statements", self.statements),
                ("lexical", self.lexical),
                ("max_file_bytes", self.max_file_bytes),
            )
        ]
        head = "# Settings of this knowledge base. Data only: nothing here can run a command or load a model."
        return "\n".join([head, *rows, ""])


class Embedders:
    """Which embedders a config file may name: only what ships with the product (hazard 83)."""

    @staticmethod
    def trusted(name: str) -> bool:
        return name in ("e5", "e5:nano", "none")


def check_base(base: str, place: str = "") -> None:
    """A base is an absolute http(s) or urn IRI that ends in ``/`` or ``#``; raises :class:`ConfigError`."""
    if not base.startswith(("http://", "https://", "urn:")) or not base.endswith(("/", "#", ":")):
        raise ConfigError(
            f"base {base!r} is not an absolute IRI ending in '/'",
            place=place,
            hint="for example https://data.example.org/",
        )
    if base.startswith("https://w3id.org/oam/"):
        raise ConfigError(
            "data must not lie under the ontology's namespace", place=place, hint="choose a base of your own"
        )
    if any(character in base for character in ' <>"{}|\\^`') or any(ord(character) < 33 for character in base):
        raise ConfigError(f"base {base!r} contains a character that an IRI cannot have", place=place)


def find_root(given: str | Path | None = None) -> Path:
    """The knowledge base meant: ``given``, else ``OAM_KB``, else the nearest folder upwards that holds ``oam.toml``."""
    if given:
        return Path(given)
    if os.environ.get("OAM_KB"):
        return Path(os.environ["OAM_KB"])
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "oam.toml").is_file():
            return folder
    raise UsageError(
        "no knowledge base here", place=str(here), hint="use --kb DIR or set OAM_KB, or make one with `oam init DIR`"
    )
