"""The dictionary that a corpus gives itself: Chinese terms mined from titles, headings, link texts and definitions.

A term is in force while at least one document contributes it, so the dictionary depends on the set of documents and
never on the order in which they came. It is saved beside the lexical index as lines ``term TAB documents``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from oam_rdf.errors import Damaged
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN_CLASS, Segmenter, has_han

SHORTEST, LONGEST = 2, 12  # characters of an accepted term

# Between words: everything but Han, letters, digits and the joiners that a run of letters may have inside.
_BREAK = re.compile(rf"[^{HAN_CLASS}\w\-.'+#]+|(?<=[{HAN_CLASS}])[\-.'_+#]+|[\-.'_]+(?=[{HAN_CLASS}])")
_LETTER = re.compile(rf"(?![{HAN_CLASS}])[^\W\d_]")
_HAN_RUN = re.compile(rf"[{HAN_CLASS}]+")
# 第三章, 第二十四節: numbering, not vocabulary.
_NUMBERING = re.compile("第[〇零一二三四五六七八九十百千0-9]+[章节条部篇回卷讲编]?|[〇零一二三四五六七八九十百千]+")
# A long piece with one of these is a phrase or a sentence (發展中的經濟), which would hide its own words.
_PHRASE_FROM = 5
_PHRASE = re.compile(
    "的|了|是|不[能会应必等可]|可以|已经|什么|如何|怎[么样]|为何|必须|应[该当]|以及|或者|而不|并非|成为|变成|何[时以]"
)
_EDGE = re.compile("^(?:的|[与和及或](?=.{3}))|的$")  # left over where a heading was cut: 的關係, 與社群系統


def accept(terms: Iterable[str]) -> tuple[str, ...]:
    """Dictionary words among mined ``terms``: sorted index keys, each once.

    A term is cut at white space and punctuation; a piece is a word if it has 2 to 12 characters and at least one of
    them is Han, unless it is a numbering or a phrase. Digits glued to Han (12平均律) count as outside the word, Latin
    or Greek letters (pre-A輪, 卡拉OK) as inside. Pure ASCII needs no dictionary: its runs are whole anyway.

    >>> accept(["反過濾救援：證書與拒答", "pre-A輪", "KO-00042", "第三章"])
    ('pre-a轮', '反过滤救援', '证书与拒答')
    """
    words: set[str] = set()
    for term in terms:
        for piece in _BREAK.split(index_key(term)):
            if not piece or not has_han(piece):
                continue
            candidates = [piece] if _LETTER.search(piece) else _HAN_RUN.findall(piece)
            words.update(c for c in (_EDGE.sub("", c) for c in candidates) if _is_word(c))
    return tuple(sorted(words))


def _is_word(piece: str) -> bool:
    if not SHORTEST <= len(piece) <= LONGEST or _NUMBERING.fullmatch(piece):
        return False
    return len(piece) < _PHRASE_FROM or not _PHRASE.search(piece)


class Dictionary:
    """Words in force with the number of documents that contribute each. Mutable only through :meth:`change`."""

    def __init__(self, counts: dict[str, int] | None = None) -> None:
        self._counts = {w: n for w, n in (counts or {}).items() if n > 0}

    def __len__(self) -> int:
        return len(self._counts)

    def __contains__(self, word: str) -> bool:
        return word in self._counts

    @property
    def words(self) -> frozenset[str]:
        """All words in force, as index keys."""
        return frozenset(self._counts)

    def segmenter(self, base: Segmenter | None = None) -> Segmenter:
        """A segmenter over the words in force, and those of ``base``."""
        return Segmenter(self._counts, base)

    def change(self, removed: Iterable[Iterable[str]], added: Iterable[Iterable[str]]) -> tuple[Dictionary, set[str]]:
        """The dictionary after documents with the accepted words ``removed`` left and ``added`` came.

        Returns it with the words that entered or left: texts that contain one of them are cut differently now.
        """
        counts = dict(self._counts)
        touched: set[str] = set()
        for sign, documents in ((-1, removed), (1, added)):
            for words in documents:
                for word in set(words):
                    counts[word] = counts.get(word, 0) + sign
                    touched.add(word)
        after = Dictionary(counts)
        return after, {w for w in touched if (w in self) != (w in after)}

    def save(self, path: Path) -> None:
        """Write ``word TAB documents`` lines, sorted: equal dictionaries give equal bytes."""
        path.write_bytes("".join(f"{w}\t{n}\n" for w, n in sorted(self._counts.items())).encode())

    @classmethod
    def load(cls, path: Path) -> Dictionary:
        """Read what :meth:`save` wrote; :class:`~oam_rdf.errors.Damaged` if that is not what the file holds."""
        try:
            lines = path.read_text("utf-8").split("\n")
            pairs = (line.split("\t") for line in lines if line)
            return cls({word: int(count) for word, count in pairs})
        except (OSError, ValueError) as error:
            message = f"the dictionary cannot be read: {error}"
            raise Damaged(message, place=str(path), hint="run `oam reindex`") from error
