"""The tokenizer of multilingual-e5-small: a Unigram model over 250 k pieces, ``<s> … </s>``.

A text is normalised by the map of the weight file and NFC, and split at white space; ▁ begins every word. The library
``tokenizers`` needs more than a second to load so many pieces, so a process that only asks questions looks them up in a
sorted table instead. Both ways give the same tokens.
"""

from __future__ import annotations

import math
import threading
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.index.embed_weights import Weights

VOCABULARY, SORTED, ROWS = "tokenizer.json", "pieces.npy", "pieces.rows.npy"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_NEVER = -1000.0  # no path through a text takes a piece of this score: "<mask>" in a text is seven characters
_UNKNOWN = _NEVER - 10.0  # a character of no piece: ten below the worst piece, as the library has it
_LONGEST = 16  # characters of a piece
_SHORT = 256  # characters of a text that is looked up


def write_vocabulary(weights: Weights, folder: Path) -> None:
    """Write :data:`VOCABULARY` in the format of the library ``tokenizers``, and the sorted table."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    pieces = [piece.decode("utf-8") for piece in weights.pieces]
    scores = weights.scores.tolist()
    vocabulary = [(p, _NEVER if p in _SPECIAL else s) for p, s in zip(pieces, scores, strict=True)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, weights.unk, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace("▁", "always")]
    )
    (folder / VOCABULARY).write_text(tokenizer.to_str(), "utf-8")
    table = np.array(weights.pieces)
    rows = np.argsort(table, kind="stable")
    np.save(folder / SORTED, table[rows])
    np.save(folder / ROWS, rows.astype("i4"))


class Tokens:
    """Texts to tokens; safe to share between threads."""

    def __init__(self, weights: Weights, folder: Path) -> None:
        """``folder`` holds what :func:`write_vocabulary` wrote; nothing big is loaded yet."""
        self._weights, self._folder = weights, folder
        self._table: NDArray[np.bytes_] = np.load(folder / SORTED, mmap_mode="r", allow_pickle=False)
        self._rows: NDArray[np.int32] = np.load(folder / ROWS, mmap_mode="r", allow_pickle=False)
        self._width = self._table.dtype.itemsize
        self._special = {weights.bos, weights.pad, weights.eos, weights.unk, len(weights.scores) - 1}
        self._library: Any = None
        self._guard = threading.Lock()

    def encode(self, text: str, limit: int, *, once: bool = False) -> list[int]:
        """Tokens of ``text`` with ``<s>`` and ``</s>``, cut to ``limit``. ``once``: not worth loading the library for."""
        normal = self.normalise(text)
        if once and self._library is None and len(normal) <= _SHORT:
            inner = self.look_up(normal)
        else:
            inner = self._loaded().encode(normal, add_special_tokens=False).ids
        return [self._weights.bos, *inner[: limit - 2], self._weights.eos]

    def normalise(self, text: str) -> str:
        return unicodedata.normalize("NFC", text.translate(self._weights.normaliser))

    def _loaded(self) -> Any:
        with self._guard:
            if self._library is None:
                from tokenizers import Tokenizer

                self._library = Tokenizer.from_file(str(self._folder / VOCABULARY))
            return self._library

    def look_up(self, normal: str) -> list[int]:
        """Tokens of a normalised text by the sorted table (Viterbi); the library's, ties and unknown characters included."""
        words = ["▁" + word for word in normal.split()]
        spans, parts = [], []
        for number, word in enumerate(words):
            for start in range(len(word)):
                for end in range(start + 1, min(start + _LONGEST, len(word)) + 1):
                    part = word[start:end].encode()
                    if len(part) > self._width:
                        break
                    spans.append((number, start, end))
                    parts.append(part)
        if not parts:
            return []
        wanted = np.array(parts, self._table.dtype)
        place = np.minimum(np.searchsorted(self._table, wanted), len(self._table) - 1)
        there = np.flatnonzero(self._table[place] == wanted)
        edges: list[list[list[tuple[int, int]]]] = [[[] for _ in word] for word in words]
        for i, token in zip(there.tolist(), self._rows[place[there]].tolist(), strict=True):
            number, start, end = spans[i]
            if token not in self._special:
                edges[number][start].append((end, token))
        return [token for word in edges for token in self._best(word)]

    def _best(self, edges: list[list[tuple[int, int]]]) -> list[int]:
        """The tokens of the best path; ``edges[start]`` are the pieces (end, token) that begin there, short ones first."""
        unk, scores = self._weights.unk, self._weights.scores
        score = [0.0, *[-math.inf] * len(edges)]
        came = [(0, 0)] * (len(edges) + 1)
        for start, pieces in enumerate(edges):
            steps = [(end, token, float(scores[token])) for end, token in pieces]
            if not any(end == start + 1 for end, _ in pieces):
                steps.append((start + 1, unk, _UNKNOWN))
            for end, token, gain in steps:
                if score[start] + gain > score[end]:
                    score[end], came[end] = score[start] + gain, (start, token)
        path: list[int] = []
        at = len(edges)
        while at:
            at, token = came[at]
            if token != unk or path[-1:] != [unk]:  # a run of unknown characters is one token
                path.append(token)
        return path[::-1]
