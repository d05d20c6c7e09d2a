"""How passages lie in Whoosh: four fields of counted terms, and columns that lead back to the passage table.

Each document also has one marker entry (``ordinal`` = :data:`MARKER`) that stores its id and its accepted dictionary
words, so that a document can leave the dictionary without being read again. The text itself is never stored here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from whoosh import columns, fields, formats

FIELDS = ("id", "title", "heading", "body")
MARKER = 0xFFFFFFFF
FORMAT = 2  # of the folder as a whole; another number means rebuild
INDEX_NAME = "LEX"

# One bytes object for each term and one float for each small frequency: millions of postings share them.
_BYTES: dict[str, bytes] = {}
_FLOATS = [float(i) for i in range(256)]


_numeric: Any = columns.NumericColumn  # Whoosh is typed in part
_no_analyzer: Any = None


class Counted(fields.FieldType):
    """A field whose value is a mapping term → frequency (:func:`~oam_rdf.index.lexical_terms.field_terms`)."""

    def __init__(self) -> None:
        super().__init__(formats.Existence(), _no_analyzer)

    def index(self, value: Mapping[str, int], **_: Any) -> Generator[tuple[bytes, int, float, bytes], Any, None]:
        """Whoosh's hook: (term, frequency, weight, payload) of each term."""
        known = _BYTES
        for term, count in value.items():
            data = known.get(term)
            if data is None:
                data = known[term] = term.encode("utf-8", "surrogatepass")
            yield data, count, _FLOATS[count] if count < 256 else float(count), b""


def forget_terms() -> None:
    """Release the shared term bytes after a publication."""
    _BYTES.clear()


def schema() -> fields.Schema:
    """The schema of every lexical index."""
    return fields.Schema(
        **{name: Counted() for name in FIELDS},
        key=Counted(),
        document=fields.COLUMN(_numeric("Q")),
        ordinal=fields.COLUMN(_numeric("I")),
        marker=fields.STORED(),
        **{f"{name}_length": fields.COLUMN(_numeric("I")) for name in FIELDS},
    )


def document_key(identifier: str) -> int:
    """64-bit number that stands for a document in the columns."""
    return int.from_bytes(blake2b(identifier.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def key_term(identifier: str) -> str:
    """Term of the ``key`` field by which a document's entries are found and deleted."""
    return f"{document_key(identifier):016x}"


def read_column(leaf: Any, name: str, size: int) -> NDArray[Any]:
    """A numeric column of one segment as an array of ``size`` values (trailing defaults are not on disk)."""
    kind = ">u8" if name == "document" else ">u4"
    out = np.zeros(size, kind)
    if leaf.has_column(name):
        reader = leaf.column_reader(name, translate=False)
        data = reader._dbfile.get(reader._basepos, reader._count * reader._fixedlen)
        values = np.frombuffer(data, kind)
        out[: len(values)] = values
    return out.astype(kind[1:])
