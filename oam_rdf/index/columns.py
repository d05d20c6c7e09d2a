"""Columns on disk: strings as one block of bytes, categories as small codes, each array one ``.npy`` file."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from oam_rdf.errors import Damaged

Array = npt.NDArray[Any]
_INDEXED = 500_000  # strings beyond which a dictionary would take too much memory


class Strings(Sequence[str]):
    """An immutable list of strings: UTF-8 bytes and ``n + 1`` offsets. A lookup decodes only what it returns."""

    def __init__(self, data: Array, offsets: Array) -> None:
        self.data = data
        self.offsets = offsets
        self._index: dict[str, int] | None = None
        self._bytes: memoryview = np.ascontiguousarray(data).data  # its slices cost a fraction of numpy's

    @classmethod
    def of(cls, values: Iterable[str]) -> Strings:
        encoded = [value.encode("utf-8", "surrogatepass") for value in values]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(value) for value in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = index if index >= 0 else index + len(self)
        bounds: list[int] = self.offsets[at : at + 2].tolist() if at >= 0 else []
        if len(bounds) != 2:
            raise IndexError(index)
        return str(self._bytes[bounds[0] : bounds[1]], "utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def find(self, value: str) -> int:
        """Position of ``value`` in a sorted list, -1 if it is not there (UTF-8 order = code point order).

        A list of ordinary size is indexed on the first call: a search looks up a hundred of its names.
        """
        if len(self) <= _INDEXED:
            if self._index is None:
                self._index = {name: row for row, name in enumerate(self)}
            return self._index.get(value, -1)
        at = bisect_left(self, value)
        return at if at < len(self) and self[at] == value else -1


class Column:
    """A category per row: ``codes`` (uint16) into ``values`` (notations; "" = none said)."""

    def __init__(self, codes: Array, values: Sequence[str]) -> None:
        self.codes = codes
        self.values = tuple(values)
        self._index = {value: code for code, value in enumerate(self.values)}

    @classmethod
    def of(cls, names: Iterable[str], values: Sequence[str] = ("",)) -> Column:
        """Codes for the given ``values`` first, then for the others in sorted order: equal input, equal bytes."""
        names = list(names)
        every = [*values, *sorted(set(names) - set(values))]
        index = {value: code for code, value in enumerate(every)}
        return cls(np.array([index[name] for name in names], dtype=np.uint16), every)

    def __getitem__(self, row: int) -> str:
        return self.values[int(self.codes[row])]

    def __len__(self) -> int:
        return len(self.codes)

    def code(self, value: str) -> int:
        """Code of a notation, -1 if no row has it."""
        return self._index.get(value, -1)

    def mask(self, wanted: Iterable[str]) -> Array:
        """``bool[n]``: rows that hold one of the notations. Unknown notations match nothing."""
        codes = [code for value in wanted if (code := self.code(value)) >= 0]
        table = np.zeros(len(self.values), dtype=bool)
        table[codes] = True
        chosen: Array = table[self.codes]
        return chosen


def digest(key: str) -> int:
    """A 64-bit hash of a matching key. Only narrows a search: the caller compares the key itself."""
    return int.from_bytes(hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def save(folder: Path, arrays: dict[str, Array], meta: dict[str, Any]) -> None:
    """One ``.npy`` per array and ``columns.json`` with ``meta``. ``folder`` is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    text = json.dumps({**meta, "arrays": sorted(arrays)}, ensure_ascii=False, indent=1, sort_keys=True)
    (folder / "columns.json").write_text(text, encoding="utf-8")


def load(folder: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """What :func:`save` wrote, memory-mapped. :raises Damaged: if a file is missing or cut."""
    try:
        meta: dict[str, Any] = json.loads((folder / "columns.json").read_text(encoding="utf-8"))
        # As plain arrays: a slice of a memmap object costs several times as much as the same slice of its memory.
        arrays = {
            name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            for name in meta["arrays"]
        }
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise Damaged(f"cannot read columns: {error}", place=str(folder), hint="run `oam reindex`") from error
    return arrays, meta
