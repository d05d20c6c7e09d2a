"""How passages lie in Tantivy, and how its hits become rows.

Every stored term of a field (:func:`~oam_rdf.index.lexical_terms.field_terms`) is written once, and a term that occurs
several times once more with its frequency behind it (``entropy␟3``). Frequencies are thereby read as what the engine
computes natively, a sum of constants, and no field needs norms, positions or a score of the engine's own.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from oam_rdf.errors import Damaged, FeatureMissing, OamError
from oam_rdf.index import lexical_writer
from oam_rdf.index.lexical_schema import FIELDS
from oam_rdf.index.postings import NONE, Postings

try:
    import tantivy
except ImportError as error:  # the extra `tantivy`
    raise FeatureMissing("Tantivy is not installed", hint="pip install 'oam-rdf[tantivy]'") from error

FORMAT = 1  # of what is written here; that of the terms is in the schema of the other backend
DOCUMENTS = "documents.json"
COUNT = "\x1f"  # stands between a term and its frequency; no term holds a control character
EXACT = 1 << 24  # Tantivy's scores are float32: whole numbers below this are exact, in whatever order they are added
_HINT = "run `oam reindex`"

engine: Any = tantivy.Query
should: Any = tantivy.Occur.Should
must: Any = tantivy.Occur.Must
_segment_of, _number_of = attrgetter("segment_ord"), attrgetter("doc")


def schema() -> Any:
    """The schema of every Tantivy index."""
    builder: Any = tantivy.SchemaBuilder()
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
        builder.add_unsigned_field(f"{name}_length", fast=True)
    builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("document", fast=True)
    builder.add_unsigned_field("ordinal", fast=True)
    return builder.build()


def stored(term: str) -> str:
    """The term as Tantivy takes it: lone surrogates, which are no Unicode text, are spelled out."""
    return term if term.isascii() else term.encode("utf-8", "backslashreplace").decode()


def field_text(counts: Mapping[str, int]) -> str:
    """What the whitespace tokenizer cuts into the terms of a field and their frequencies."""
    several = [f"{term}{COUNT}{count}" for term, count in counts.items() if count > 1]
    return stored(" ".join([*counts, *several]))


@contextmanager
def reading(place: Path | str) -> Iterator[None]:
    """Turn what Tantivy raises over a damaged file, a panic included, into :class:`Damaged`."""
    try:
        yield
    except (MemoryError, OamError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        message = f"the lexical index cannot be read: {type(error).__name__}: {error}"
        raise Damaged(message, place=str(place), hint=_HINT) from error


def check_head(folder: Path) -> dict[str, Any]:
    """As :func:`oam_rdf.index.lexical_writer.check_head`; all files are there, as long as they were when written."""
    head = lexical_writer.check_head(folder)
    try:
        made, files = int(head["tantivy"]), dict(head["files"])
        for name, size in files.items():
            if (found := (folder / name).stat().st_size) != size:
                raise Damaged(f"{found} bytes instead of {size}", place=str(folder / name), hint=_HINT)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Damaged(f"not a Tantivy index: {error}", place=str(folder), hint=_HINT) from error
    if made != FORMAT:
        raise Damaged(f"format {made}, this program reads {FORMAT}", place=str(folder), hint=_HINT)
    return head


def engine_files(folder: Path) -> list[str]:
    """Files that the table of contents (``meta.json``) names, itself included."""
    with reading(folder):
        meta = json.loads((folder / "meta.json").read_bytes())
        segments = {segment["segment_id"].replace("-", ""): segment for segment in meta["segments"]}
    names = ["meta.json", ".managed.json"]
    for path in sorted(folder.iterdir()):
        parts = path.name.split(".")
        segment = segments.get(parts[0])
        # Deleted entries of a segment: UUID.OPSTAMP.del, of which the newest counts.
        if segment and (parts[-1] != "del" or parts[1] == str((segment["deletes"] or {}).get("opstamp"))):
            names.append(path.name)
    return names


class Hits(NamedTuple):
    """Entries that a query found: their numbers, unordered, the engine's scores, and how many there are in all."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.float64]
    total: int


class TantivyReader:
    """An open index. Entries are numbered through the segments, ``0 … size-1``, deleted ones included."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Tantivy makes a lock file where it opens an index: it gets a folder of links for that, which is gone
        # when everything is mapped. So nothing is ever written beside the index, which may be another user's.
        links = Path(tempfile.mkdtemp(prefix="oam-tantivy-"))
        try:
            with reading(folder):
                for name in engine_files(folder):
                    (links / name).symlink_to((folder / name).resolve(strict=True))
                index: Any = tantivy.Index.open(str(links))
                index.config_reader("manual", 0)
                self.schema = index.schema
                self._searcher: Any = index.searcher()
        finally:
            for _ in range(50):  # Tantivy looks once more in the background, and makes its lock file again
                shutil.rmtree(links, ignore_errors=True)
                if not links.exists():
                    break
                time.sleep(0.01)
        with reading(folder):
            self.alive: int = self._searcher.num_docs
            self._addresses = [a for _, a in self._searcher.search(engine.all_query(), max(1, self.alive)).hits]
            sizes = np.zeros(self._searcher.num_segments + 1, "i8")
            for address in self._addresses:
                sizes[address.segment_ord + 1] = max(sizes[address.segment_ord + 1], address.doc + 1)
        self._bases = np.cumsum(sizes)
        self.size = int(self._bases[-1])
        self.numbers = self._numbered(self._addresses)

    def column(self, name: str, kind: str) -> NDArray[Any]:
        """A numeric column by entry, in the order of :attr:`numbers`."""
        with reading(self.folder):
            values: list[int] = self._searcher.fast_field_values(name, self._addresses)
            return np.array(values, kind)

    def forget(self) -> None:
        """Let go of what only :meth:`column` needs."""
        self._addresses = []

    def close(self) -> None:
        """Release the files."""
        self._searcher = None

    def term(self, field: str, term: str) -> Any:
        """Query for the entries that hold a term."""
        return engine.term_query(self.schema, field, stored(term), "basic")

    def terms(self, field: str, terms: Sequence[str]) -> Any:
        """Query for the entries that hold at least one of many terms."""
        return engine.term_set_query(self.schema, field, [stored(term) for term in terms])

    def count(self, asked: Any) -> int:
        """How many entries a query finds."""
        with reading(self.folder):
            return int(self._searcher.search(asked, 1).count)

    def find(self, asked: Any, limit: int | None = None) -> Hits:
        """What a query finds: all of it, or the best ``limit``."""
        with reading(self.folder):
            result = self._searcher.search(asked, max(1, self.alive) if limit is None else limit)
            hits = result.hits
            numbers = self._numbered([address for _, address in hits])
            if len(numbers) and int(numbers.max()) >= self.size:
                raise ValueError(f"entry {int(numbers.max())} of {self.size}")
            return Hits(numbers, np.array([score for score, _ in hits], "f8"), int(result.count))

    def frequencies(self, field: str, term: str) -> list[int]:
        """Frequencies above 1 that a term has in some entry."""
        with reading(self.folder):
            found = self._searcher.terms_with_prefix(field, stored(term) + COUNT)
        return [int(name.rpartition(COUNT)[2]) for name, _ in found]

    def _numbered(self, addresses: Sequence[Any]) -> NDArray[np.int64]:
        numbers = np.fromiter(map(_number_of, addresses), "i8", len(addresses))
        if len(self._bases) > 2:
            numbers += self._bases[np.fromiter(map(_segment_of, addresses), "i8", len(addresses))]
        return numbers


class TantivyPostings:
    """Rows and frequencies by (field, term), cached up to ``limit`` array entries in total. Thread-safe.

    ``rows`` gives the row of each entry number.
    """

    def __init__(self, reader: TantivyReader, rows: NDArray[np.int32], limit: int = 20_000_000) -> None:
        self._reader, self._rows = reader, rows
        self._cache: OrderedDict[tuple[str, str], Postings] = OrderedDict()
        self._held, self._limit = 0, limit
        self._lock = threading.Lock()

    def get(self, field: str, term: str) -> Postings:
        """Postings of a term, rows ascending; :data:`NONE` if the field does not hold it."""
        place = (field, term)
        with self._lock:
            found = self._cache.get(place)
            if found is not None:
                self._cache.move_to_end(place)
                return found
        found = self._read(field, term)
        with self._lock:
            if place not in self._cache:
                self._held += len(found.rows) + 16
            self._cache[place] = found
            while self._held > self._limit and len(self._cache) > 1:
                self._held -= len(self._cache.popitem(last=False)[1].rows) + 16
        return found

    def close(self) -> None:
        """Nothing is held but arrays: what is cached stays readable."""

    def _read(self, field: str, term: str) -> Postings:
        reader = self._reader
        parts = [(should, engine.const_score_query(reader.term(field, term), 1.0))]
        for count in reader.frequencies(field, term):
            more = engine.const_score_query(reader.term(field, f"{term}{COUNT}{count}"), float(count - 1))
            parts.append((should, more))
        hits = reader.find(engine.boolean_query(parts))
        if not hits.total:
            return NONE
        rows = self._rows[hits.numbers]
        order = np.argsort(rows, kind="stable")
        return Postings(rows[order], hits.scores[order].astype("f4"))
