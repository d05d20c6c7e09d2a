"""Keys for comparing text: what two writers mean to be the same gets the same key, the stored text is never altered.

``index_key`` serves the lexical index (NFKC, casefold, traditional to simplified, typographic hyphens and
apostrophes unified, invisible characters dropped), ``link_key`` references by title, ``id_key`` references by id.
:func:`fold` is ``index_key`` with the way back: it says which characters of the raw text a folded character came from.

The traditional-to-simplified fold is one table of single characters, built once from OpenCC and applied to texts and
queries alike. It maps many to one (乾幹干 → 干, 後后 → 后, 著着 → 着), so a phrase-level conversion that is right for
reading (乾隆 stays 乾隆) can never put a text and its query on different sides (hazard 19).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

_HAN_RANGES = ((0x3400, 0x4DC0), (0x4E00, 0xA000), (0x20000, 0x2F800), (0x30000, 0x323B0))  # NFKC does the rest

# Typographic variants that people do not tell apart when they search, beyond what NFKC unifies.
_VARIANTS = {0x2010: "-", 0x2011: "-", 0x2018: "'", 0x2019: "'", 0x02BC: "'"}

# Invisible inside words: soft hyphen, zero-width space/joiners, word joiner, BOM, variation selectors.
_INVISIBLE = frozenset([0xAD, 0x34F, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10)])

# Stands in the fast translation for "this character needs the slow path"; a noncharacter, never in real text.
_SLOW = "\uffff"


@lru_cache(maxsize=1)
def han_folds() -> dict[int, str]:
    """Code point → simplified character, for every Han character that has one (about 5,000 entries).

    From OpenCC's Traditional-to-Simplified table read one character at a time; the Taiwan and Hong Kong tables add
    regional variants (著 → 着, 衞 → 卫) unless the character is itself some other character's simplified form
    (么 stays, because 麼 → 么).
    """
    from opencc import OpenCC

    characters = [chr(i) for low, high in _HAN_RANGES for i in range(low, high)]
    lines = "\n".join(characters)

    def table(config: str) -> dict[str, str]:
        return dict(zip(characters, OpenCC(config).convert(lines).split("\n"), strict=True))

    folds = {a: b for a, b in table("t2s").items() if a != b and len(b) == 1}
    simplified = set(folds.values())
    for config in ("tw2s", "hk2s"):
        for a, b in table(config).items():
            if a != b and len(b) == 1 and a not in folds and a not in simplified:
                folds[a] = b
    for a in folds:  # close chains, so that folding twice changes nothing
        seen = {a}
        while folds[a] in folds and folds[a] not in seen:
            seen.add(folds[a])
            folds[a] = folds[folds[a]]
    return {ord(a): b for a, b in folds.items() if a != b}


@lru_cache(maxsize=1)
def fold_fingerprint() -> str:
    """16 hex digits that change when the fold table does: an index made with another table must be rebuilt."""
    pairs = "".join(f"{a:x}{b}" for a, b in sorted(han_folds().items()))
    return blake2b((pairs + unicodedata.unidata_version).encode(), digest_size=8).hexdigest()


def _fold_cluster(cluster: str) -> str:
    """Key of one base character with its marks."""
    text = unicodedata.normalize("NFKC", cluster)
    for _ in range(3):  # casefolding can denormalise and decomposition can uncover capitals (℻ → FAX)
        again = unicodedata.normalize("NFKC", text.casefold())
        if again == text:
            break
        text = again
    kept = (_VARIANTS.get(ord(c), c) for c in text if ord(c) not in _INVISIBLE)
    return "".join(kept).translate(han_folds())


def _joins_previous(code: int) -> bool:
    """True for characters that may combine with the one before: marks, Hangul vowels and finals, kana voice marks."""
    return (
        unicodedata.category(chr(code)).startswith("M")
        or 0x1160 <= code <= 0x11FF
        or 0xD7B0 <= code <= 0xD7FF
        or code in (0xFF9E, 0xFF9F)
        or 0xFFA0 <= code <= 0xFFDC
    )


class _Table(dict[int, str]):
    """str.translate table filled as characters are met: 1 → 1 folds directly, all others as the slow mark."""

    def __missing__(self, code: int) -> str:
        if 0x4E00 <= code < 0xA000:  # no ideograph has marks, cases or another form: most of what is met
            self[code] = han_folds().get(code) or chr(code)
            return self[code]
        folded = _fold_cluster(chr(code))
        slow = len(folded) != 1 or _joins_previous(code) or 0x1100 <= code <= 0x115F or code == 0xFFFF
        self[code] = _SLOW if slow else folded
        return self[code]


_table = _Table()


@dataclass(frozen=True, slots=True)
class Folded:
    """``text`` = index key of a raw text, with the way back to the raw offsets."""

    text: str
    # Where the one-to-one correspondence breaks: (folded offset, raw start, raw end) of each odd cluster, and of the
    # plain stretch after it (raw end = -1). Empty = the two texts have the same offsets throughout.
    _breaks: tuple[tuple[int, int, int], ...] = ()
    _starts: tuple[int, ...] = ()

    @property
    def plain(self) -> bool:
        """True if both texts have the same offsets throughout."""
        return not self._breaks

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Raw ``(start, end)`` of the folded characters ``start:end``, ``start < end``; whole clusters always."""
        if not self._breaks:
            return start, end
        return self._raw(start)[0], self._raw(end - 1)[1]

    def _raw(self, position: int) -> tuple[int, int]:
        k = bisect_right(self._starts, position) - 1
        if k < 0:
            return position, position + 1
        folded_start, raw_start, raw_end = self._breaks[k]
        if raw_end >= 0:
            return raw_start, raw_end
        shift = raw_start - folded_start
        return position + shift, position + shift + 1


def fold(text: str) -> Folded:
    """The index key of ``text`` and the map of its characters to those of ``text`` (code points).

    About 20 million characters a second; a character that expands, vanishes or combines costs a few µs more.
    """
    if text.isascii():
        return Folded(text.lower())
    table = _table
    quick = text.translate(table)
    if _SLOW not in quick:
        return Folded(quick)
    pieces: list[str] = []
    breaks: list[tuple[int, int, int]] = []
    done = length = 0
    position = quick.find(_SLOW)
    while position >= 0:
        start = position
        if start > done and _joins_previous(ord(text[start])):
            start -= 1  # a mark belongs to its base character
        end = position + 1
        while end < len(text) and _joins_previous(ord(text[end])):
            end += 1
        pieces.append(quick[done:start])
        length += start - done
        cluster = _fold_cluster(text[start:end])
        if cluster:
            breaks.append((length, start, end))
        pieces.append(cluster)
        length += len(cluster)
        breaks.append((length, end, -1))
        done = end
        position = quick.find(_SLOW, done)
    pieces.append(quick[done:])
    # A later break at the same folded offset replaces the earlier one: the cluster between them vanished.
    unique = {b[0]: b for b in breaks}
    return Folded("".join(pieces), tuple(unique.values()), tuple(unique))


def index_key(s: str) -> str:
    """Key under which the lexical index knows ``s``.

    >>> index_key("Ｓ７協議"), index_key("營收增長")
    ('s7协议', '营收增长')
    """
    return fold(s).text


def link_key(s: str) -> str:
    """Key for references by title: NFC, casefold, trimmed, inner white space collapsed.

    >>> link_key("  Four  Colour\\tTheorem ")
    'four colour theorem'
    """
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", s).casefold()).split())


# What an id may be written with or without. '#', '+', '&', '@', '%' and '*' tell ids apart (C++, C#, DOC#H1) and stay.
_KEPT = frozenset("#&@%*")
_DIGITS = re.compile(r"[0-9]+")


def id_key(s: str) -> str:
    """Key for references by id: NFKC, casefold, punctuation and spaces dropped, leading zeros of digit runs dropped.

    A separator between two digit runs is kept (as ``-``), so 1.10 and 110 differ. A text of nothing but punctuation
    is its own key.

    >>> {id_key(s) for s in ("PEP-241", "pep 241", "PEP-0241", "ＰＥＰ－241")}
    {'pep241'}
    >>> id_key("v1.10"), id_key("C++"), id_key("C#")
    ('v1-10', 'c++', 'c#')
    """
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", s).casefold())
    out: list[str] = []
    separated = False
    for part in re.findall(r"[0-9]+|[^0-9]", text):
        if part[0] in "0123456789":
            if separated and out and _DIGITS.fullmatch(out[-1]):
                out.append("-")
            out.append(part.lstrip("0") or "0")
        elif part not in _KEPT and unicodedata.category(part)[0] in "PZC":
            separated = True
            continue
        else:
            out.append(part)
        separated = False
    return "".join(out) or text.strip()
