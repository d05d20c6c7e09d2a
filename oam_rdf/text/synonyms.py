"""Curated groups of words that mean the same, in any language (LLM-wiki report §5.2; decision D21).

A file holds tables for people to find their way, and in each a line for each group; the key belongs to the group::

    [industrial]
    s7 = ["s7comm", "S7 協議", "siemens s7"]

They serve queries alone: nothing of them enters an index, so a change needs no new index.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from oam_rdf.errors import ConfigError
from oam_rdf.resources import sample_dir
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN, Segmenter, Token, has_han
from oam_rdf.text.stem import singular

_JOINER = re.compile("[-_]+")
_HINT = 'a line is `word = ["another", "一個詞"]`'
_cut = Segmenter(()).segment


class Found(NamedTuple):
    """A member of a group in a query: tokens ``start:end``, and the other members as index keys."""

    start: int
    end: int
    others: tuple[str, ...]


class Synonyms:
    """Groups of synonyms. Immutable and safe to share between threads."""

    def __init__(self, groups: Iterable[Sequence[str]] = ()) -> None:
        self.groups = tuple(tuple(dict.fromkeys(" ".join(index_key(m).split()) for m in group)) for group in groups)
        self._of: dict[str, dict[int, None]] = {}
        self._longest: dict[str, int] = {}  # first letters or character of a member -> its most tokens
        for number, group in enumerate(self.groups):
            for member in group:
                tokens = _cut(member)
                if tokens and (key := _key(tokens)):
                    self._of.setdefault(key, {})[number] = None
                    head = _parts(tokens[0].key)[0]
                    self._longest[head] = max(self._longest.get(head, 0), len(tokens))

    def __len__(self) -> int:
        return len(self.groups)

    def __add__(self, other: Synonyms) -> Synonyms:
        return Synonyms((*self.groups, *other.groups))

    def find(self, tokens: Sequence[Token]) -> tuple[Found, ...]:
        """Members among the tokens of a query, longest first from the left, never overlapping, at token borders only.

        Number, case, script, hyphens and spaces make no difference: ``Knowledge Graphs`` is ``knowledge-graph``.
        """
        found, i = [], 0
        while i < len(tokens):
            head = _parts(tokens[i].key)[0]
            for j in range(min(len(tokens), i + self._longest.get(head, 0)), i, -1):
                key = _key(tokens[i:j])
                if numbers := self._of.get(key):
                    others = dict.fromkeys(m for n in numbers for m in self.groups[n] if _key(_cut(m)) != key)
                    found.append(Found(i, j, tuple(others)))
                    i = j
                    break
            else:
                i += 1
        return tuple(found)


@lru_cache(maxsize=1 << 14)
def _parts(word: str) -> tuple[str, ...]:
    """A token as it is compared: Han characters, and letters without joiners in the singular (pre-A輪 has both)."""
    parts: list[str] = []
    for piece in _cut(word) if has_han(word) else (Token(word, 0, len(word), ""),):
        letters = [piece.key] if piece.kind == HAN else [singular(p) for p in _JOINER.split(piece.key) if p]
        parts += letters or [piece.key]
    return tuple(parts)


def _key(tokens: Sequence[Token]) -> str:
    """What members and queries are compared by: a space between runs of letters, none beside Han."""
    out, spaced = "", False
    for token in tokens:
        for part in _parts(token.key):
            letters = not has_han(part)
            out += (" " if spaced and letters else "") + part
            spaced = letters
    return out


def read_synonyms(path: Path) -> Synonyms:
    """Groups of a TOML file.

    :raises ConfigError: not TOML, or a group that is no list of at least one word beside its key; names file and line.
    """
    try:
        text = path.read_text("utf-8-sig")
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        line = int(at[1]) if at else text.count("\n") + 1  # "at end of document"
        raise ConfigError(f"not valid TOML: {error}", place=f"{path}:{line}", hint=_HINT) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the synonyms cannot be read: {error}", place=str(path), hint=_HINT) from error
    groups: list[tuple[str, ...]] = []
    for name, table in tables.items():
        lines = table if isinstance(table, dict) else {name: table}
        for key, others in lines.items():
            whole = (
                isinstance(others, list) and others and all(isinstance(w, str) and _cut(index_key(w)) for w in others)
            )
            if not whole or not _cut(index_key(key)):
                place = f"{path}:{_line_of(text, key)}"
                raise ConfigError(f"the group {key!r} is not a list of words", place=place, hint=_HINT)
            groups.append((key, *others))
    return Synonyms(groups)


def _line_of(text: str, key: str) -> int:
    name = rf"""["']?{re.escape(key)}["']?\s*"""
    bare = re.compile(rf"""\s*{name}=|\s*\[+(?:[^\]]*\.)?\s*{name}\]""")
    return next((n for n, line in enumerate(text.split("\n"), 1) if bare.match(line)), 1)


def starter_synonyms() -> Path:
    """The file of groups that ships with the product."""
    return sample_dir() / "lexicon" / "synonyms.toml"
