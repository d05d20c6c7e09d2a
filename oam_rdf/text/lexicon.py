"""What a query may be widened by: curated synonyms, and CC-CEDICT's translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.text.cedict import Cedict, load_cedict
from oam_rdf.text.synonyms import Synonyms, read_synonyms, starter_synonyms


@dataclass(frozen=True, slots=True)
class Lexicon:
    """``problems`` name what is missing, ``synonyms`` or ``translations``, with the reason; the rest goes on."""

    synonyms: Synonyms = field(default_factory=Synonyms)
    cedict: Cedict | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


PLAIN = Lexicon()


def load_lexicon(own: Path | None = None) -> Lexicon:
    """The groups that ship, those of the file ``own`` if it exists, and CC-CEDICT. Never fails: see ``problems``."""
    problems: dict[str, str] = {}
    groups = Synonyms()
    for path in (starter_synonyms(), own):
        if path is None or not path.is_file():
            continue
        try:
            status = path.stat()
            groups = _joined(groups, _read(path, status.st_mtime_ns, status.st_size))
        except (ConfigError, OSError) as error:
            problems["synonyms"] = str(error)
    cedict = None
    try:
        cedict = load_cedict()
    except FeatureMissing as error:
        problems["translations"] = str(error)
    return Lexicon(groups, cedict, problems)


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int, _size: int) -> Synonyms:
    return read_synonyms(path)


def _joined(one: Synonyms, two: Synonyms) -> Synonyms:
    return one + two if len(one) else two
