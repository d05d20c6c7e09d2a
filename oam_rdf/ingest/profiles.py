"""Profiles: how a corpus writes its headers, statuses and references. A small TOML file, data and never code.

::

    extends = "default"            # another profile whose tables this one adds to
    language = "zh-Hant"           # when neither the header nor the text tells
    links = "cites"                # relation of a Markdown link to another document ("" = none)
    wikilinks = "mentions"         # relation of [[target]]
    titles = "mentions"            # relation of 《title》 in prose ("" = none)
    ignore = ["LICENSE"]           # link targets that are no documents
    base = "https://example.org/"  # of relative IRIs in RDF files that name no base of their own
    [id]      prefix = "PEP-"  digits = 4  alias = "PEP "   # a bare number in the id field or in a reference
    [fields]  Replaces = "supersedes"     # header field -> attribute or relation
    [status]  Final = "ACTIVE"            # status word -> version status, "" = keep the word only
    [states]  猜想 = "CONJECTURE"          # word for an epistemic state; [kinds], [roles] likewise
    [[citations]]  pattern = '...'  target = "PEP {}"  relation = "cites"   # group 1 fills the target
    [[references]]  pattern = '...'  target = "KEP-{}"    # the same for a whole value of a header field
    [[paths]]  pattern = '...'  id = "KEP-{}/README"  part_of = "KEP-{}"    # what a file's path says of its document

A field that no profile names is kept verbatim in ``extra``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.errors import ConfigError
from oam_rdf.ingest.vocabulary import notation, relation
from oam_rdf.ontology import Ontology
from oam_rdf.resources import profiles_dir

#: What a header field may be mapped to, besides a relation of the ontology.
ATTRIBUTES = frozenset({
    "id", "title", "version", "status", "date", "creators", "subjects", "language", "aliases", "state", "roles", "kind",
    "verification", "operators", "evidence", "valid_from", "deprecated_at", "visibility", "summary", "keep",
})  # fmt: skip

_TABLES = {"fields", "status", "states", "kinds", "roles", "outcomes"}
_TEXTS = {"extends", "language", "links", "wikilinks", "titles", "base"}


@dataclass(frozen=True, slots=True)
class Citation:
    """A pattern of in-text references. Group 1 (or the whole match) fills ``{}`` of ``target``; numbers lose zeros."""

    pattern: re.Pattern[str]
    target: str
    relation: str

    def reference(self, match: re.Match[str]) -> str:
        """The reference as people would write it."""
        return filled(self.target, match)


@dataclass(frozen=True, slots=True)
class PathRule:
    """What the path of a file says: the id of a document whose header gives none, and relations to what it belongs to."""

    pattern: re.Pattern[str]
    id: str
    relations: tuple[tuple[str, str], ...]  # (relation, target)


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile, inherited tables included. Keys of the word tables are folded by :func:`key`. Picklable."""

    name: str
    language: str = ""
    links: str = ""
    wikilinks: str = "mentions"
    titles: str = ""
    base: str = ""
    ignore: frozenset[str] = frozenset()
    id_prefix: str = ""
    id_digits: int = 0
    id_alias: str = ""
    fields: Mapping[str, str] = None  # type: ignore[assignment]
    status: Mapping[str, str] = None  # type: ignore[assignment]
    states: Mapping[str, str] = None  # type: ignore[assignment]
    kinds: Mapping[str, str] = None  # type: ignore[assignment]
    roles: Mapping[str, str] = None  # type: ignore[assignment]
    outcomes: Mapping[str, str] = None  # type: ignore[assignment]
    citations: tuple[Citation, ...] = ()
    references: tuple[Citation, ...] = ()
    paths: tuple[PathRule, ...] = ()

    def field(self, name: str) -> str:
        """Attribute or relation of a header field, "" if nothing is known of it."""
        mapped = self.fields.get(key(name), "")
        return mapped or relation(name)

    def word(self, scheme: str, written: str) -> str:
        """The notation that a word of the source stands for, "" if unknown (decision D3)."""
        table = {"epistemic-state": self.states, "statement-kind": self.kinds, "role": self.roles,
                 "version-status": self.status, "outcome": self.outcomes}.get(scheme, {})  # fmt: skip
        return table.get(key(written), "") or notation(scheme, written)

    def identifier(self, written: str) -> str:
        """A document id from its header field: a bare number gets the profile's prefix and width."""
        if self.id_prefix and written.strip().isdigit():
            return f"{self.id_prefix}{int(written):0{self.id_digits or 1}d}"
        return written.strip()

    def reference(self, written: str) -> str:
        """A reference from a header field: a bare number is one of this corpus."""
        if self.id_prefix and written.strip().isdigit():
            return f"{self.id_alias or self.id_prefix}{int(written)}"
        whole = ((rule, rule.pattern.fullmatch(written.strip())) for rule in self.references)
        return next((rule.reference(match) for rule, match in whole if match), written.strip())


def filled(template: str, match: re.Match[str]) -> str:
    """``template`` with the first group that matched, or the whole match, for ``{}``; numbers lose their zeros."""
    group = next((g for g in match.groups() if g is not None), match[0])
    return template.replace("{}", str(int(group)) if group.isascii() and group.isdigit() else group)


def key(word: str) -> str:
    """Folds a field name or word for look-up: letter case, spaces, hyphens and underscores do not matter."""
    return re.sub(r"[\s_\-－]+", "", word.strip().strip("*：:").casefold())


def is_absolute(iri: str) -> bool:
    """Whether relative IRIs can be resolved against it."""
    try:
        NamedNode(iri)
    except ValueError:
        return False
    return True


def load(name_or_path: str, base: str = "") -> Profile:
    """A shipped profile by name (``peps``) or a TOML file by path. ``base`` takes the place of its own, if not "".

    :raises ConfigError: if there is no such profile, or it maps to something that does not exist, with the place.
    """
    profile = _load(name_or_path or "default", Ontology.load())
    return replace(profile, base=base) if base else profile


def names() -> tuple[str, ...]:
    """The shipped profiles."""
    return tuple(sorted(p.stem for p in profiles_dir().glob("*.toml")))


@lru_cache(maxsize=64)
def _load(name_or_path: str, _ontology: Ontology) -> Profile:  # what a field may be mapped to depends on it
    raw, file = _read(name_or_path, ())
    return _profile(raw, Path(name_or_path).stem, file)


def _read(name_or_path: str, seen: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = profiles_dir() / f"{name_or_path}.toml"
        if not re.fullmatch(r"[\w-]+", name_or_path):
            raise ConfigError(f"no profile {name_or_path!r}", hint=f"shipped profiles: {', '.join(names())}")
    place = str(path)
    if place in seen:
        raise ConfigError("the profile extends itself", place=place, hint="remove its line `extends`")
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        hint = f"shipped profiles: {', '.join(names())}; or give the path of a .toml file"
        raise ConfigError(f"no profile {name_or_path!r}", hint=hint) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"not valid TOML: {error}", place=place, hint="see the profiles that ship") from error
    _check(raw, place)
    if path.stem != "default" or raw.get("extends"):
        parent, _ = _read(str(raw.get("extends", "default")), (*seen, place))
        raw = _merged(parent, raw)
    return raw, place


def _check(raw: dict[str, Any], place: str) -> None:
    for name, value in raw.items():
        fine = (
            isinstance(value, str) if name in _TEXTS
            else isinstance(value, dict) if name in _TABLES or name == "id"
            else isinstance(value, list) if name in ("ignore", "citations", "references", "paths")
            else False
        )  # fmt: skip
        if not fine:
            raise ConfigError(f"unknown or ill-typed entry {name!r}", place=place, hint="see oam_rdf/profiles")
    for table in _TABLES & raw.keys():
        for word, value in raw[table].items():
            if not isinstance(value, str):
                raise ConfigError(f"[{table}] {word!r} must be text", place=place)


def _merged(parent: dict[str, Any], child: dict[str, Any]) -> dict[str, Any]:
    out = dict(parent)
    for name, value in child.items():
        if isinstance(value, dict):
            out[name] = {**parent.get(name, {}), **value}
        elif isinstance(value, list):
            out[name] = [*parent.get(name, []), *value]
        else:
            out[name] = value
    return out


def _profile(raw: dict[str, Any], name: str, place: str) -> Profile:
    fields: dict[str, str] = {}
    for written, target in raw.get("fields", {}).items():
        if target not in ATTRIBUTES and not relation(target):
            raise ConfigError(
                f"[fields] {written!r} = {target!r} is neither an attribute nor a relation",
                place=place,
                hint=f"attributes: {', '.join(sorted(ATTRIBUTES))}",
            )
        fields[key(written)] = target
    schemes = {"status": "version-status", "states": "epistemic-state", "kinds": "statement-kind", "roles": "role",
               "outcomes": "outcome"}  # fmt: skip
    tables: dict[str, dict[str, str]] = {}
    for table, scheme in schemes.items():
        tables[table] = {}
        for word, value in raw.get(table, {}).items():
            if value and not notation(scheme, value):
                raise ConfigError(f"[{table}] {word!r} = {value!r} is no {scheme}", place=place)
            tables[table][key(word)] = value
    citations = [_citation("citations", entry, place) for entry in raw.get("citations", [])]
    references = [_citation("references", entry, place) for entry in raw.get("references", [])]
    for relation_name in ("links", "wikilinks", "titles"):
        if raw.get(relation_name) and not relation(raw[relation_name]):
            raise ConfigError(f"{relation_name} = {raw[relation_name]!r} is no relation", place=place)
    if raw.get("base") and not is_absolute(raw["base"]):
        raise ConfigError(f"base = {raw['base']!r} is no absolute IRI", place=place, hint="https://example.org/data/")
    identity = raw.get("id", {})
    return Profile(
        name=name,
        language=raw.get("language", ""),
        links=raw.get("links", ""),
        wikilinks=raw.get("wikilinks", "mentions"),
        titles=raw.get("titles", ""),
        base=raw.get("base", ""),
        ignore=frozenset(raw.get("ignore", ())),
        id_prefix=str(identity.get("prefix", "")),
        id_digits=int(identity.get("digits", 0)),
        id_alias=str(identity.get("alias", "")),
        fields=fields,
        citations=tuple(citations),
        references=tuple(references),
        paths=tuple(_path_rule(entry, place) for entry in raw.get("paths", [])),
        **tables,
    )


def _citation(table: str, entry: dict[str, str], place: str) -> Citation:
    try:
        return Citation(re.compile(entry["pattern"]), entry["target"], entry.get("relation", "cites"))
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise ConfigError(f"[[{table}]] {entry!r}: {error}", place=place) from error


def _path_rule(entry: dict[str, str], place: str) -> PathRule:
    try:
        relations = {name: target for name, target in entry.items() if name not in ("pattern", "id")}
        if unknown := [name for name in relations if not relation(name)]:
            raise ConfigError(f"[[paths]] {unknown[0]!r} is no relation", place=place)
        return PathRule(re.compile(entry["pattern"]), entry.get("id", ""), tuple(relations.items()))
    except (KeyError, TypeError, AttributeError, re.error) as error:
        raise ConfigError(f"[[paths]] {entry!r}: {error}", place=place) from error
