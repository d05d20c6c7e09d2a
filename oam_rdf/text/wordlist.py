"""Words that are in force whatever the corpus says: CC-CEDICT, a starter of this field, a knowledge base's own list.

They enter the index, so another list means another index: :attr:`WordList.fingerprint` tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from oam_rdf.errors import ConfigError, FeatureMissing
from oam_rdf.resources import sample_dir
from oam_rdf.text.cedict import load_cedict
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN_CLASS, Segmenter, has_han

_LONGEST = 32
_BROKEN = re.compile(rf"[^{HAN_CLASS}\w\-.'+#]")


@dataclass(frozen=True)
class WordList:
    """``words`` are index keys; ``sources`` say by name what each list gave, or why it gave nothing."""

    words: frozenset[str] = frozenset()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """16 hex digits that change when a word does, "" for no words."""
        return _fingerprint(self.words)

    def segmenter(self) -> Segmenter:
        """A segmenter over these words alone, built once for each set of words."""
        return _segmenter(self.words)

    def dump(self) -> bytes:
        """The words as sorted lines: equal lists give equal bytes."""
        return "".join(f"{word}\n" for word in sorted(self.words)).encode()

    @classmethod
    def read(cls, data: bytes) -> WordList:
        """What :meth:`dump` wrote; its ``sources`` are not kept."""
        return _read(data)


@lru_cache(maxsize=4)
def _read(data: bytes) -> WordList:
    return WordList(frozenset(data.decode().split("\n")) - {""})


@lru_cache(maxsize=4)
def _fingerprint(words: frozenset[str]) -> str:
    return blake2b("\n".join(sorted(words)).encode(), digest_size=8).hexdigest() if words else ""


@lru_cache(maxsize=4)
def _segmenter(words: frozenset[str]) -> Segmenter:
    return Segmenter(words)


NO_WORDS = WordList()


def read_words(path: Path) -> frozenset[str]:
    """Words of a supplement file as index keys: one a line, ``#`` begins a comment.

    :raises ConfigError: a line is no word (2 to 32 characters, one of them Han, no space inside), with its number.
    """
    words: dict[str, None] = {}
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the word list cannot be read: {error}", place=str(path), hint="UTF-8 text, a word a line"
        ) from error
    for number, line in enumerate(lines, 1):
        word = index_key(line.partition("#")[0].strip())
        if not word:
            continue
        if not has_han(word) or not 2 <= len(word) <= _LONGEST or _BROKEN.search(word):
            raise ConfigError(
                f"{line.strip()!r} is no dictionary word",
                place=f"{path}:{number}",
                hint="2 to 32 characters, at least one of them Han, no spaces; ids need no dictionary",
            )
        words[word] = None
    return frozenset(words)


def words_in_force(own: Path | None = None) -> WordList:
    """CC-CEDICT, the starter list that ships, and the supplement ``own`` if that file exists.

    A list that cannot be read is left out and named in ``sources``; nothing fails.
    """
    return _in_force(own, _stamp(own), _stamp(_starter()))


def _starter() -> Path:
    return sample_dir() / "lexicon" / "words.txt"


def _stamp(path: Path | None) -> bytes:
    """What decides whether a list must be read again: its bytes, for these files are small."""
    try:
        return path.read_bytes() if path is not None else b""
    except OSError:
        return b""


@lru_cache(maxsize=8)
def _in_force(own: Path | None, _own_bytes: bytes, _starter_bytes: bytes) -> WordList:
    words: frozenset[str] = frozenset()
    sources: dict[str, str] = {}
    try:
        cedict = load_cedict()
        words |= cedict.words
        sources["cc-cedict"] = f"{cedict.date}, {len(cedict.words)} words"
    except FeatureMissing as error:
        sources["cc-cedict"] = f"absent: {error.message}"
    for name, path in (("starter", _starter()), ("words.txt", own)):
        if path is None or not path.is_file():
            continue
        try:
            found = read_words(path)
            words |= found
            sources[name] = f"{len(found)} words"
        except ConfigError as error:
            sources[name] = f"absent: {error}"
    return WordList(words, MappingProxyType(sources))
