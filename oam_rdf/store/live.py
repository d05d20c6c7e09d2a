"""The live store: the truth, opened by the holder of the write lock only."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, serialize

from oam_rdf.errors import Damaged
from oam_rdf.namespaces import OAM, XSD
from oam_rdf.store.files import write_atomic
from oam_rdf.store.layout import Layout
from oam_rdf.store.minter import Minter

_REVISION = NamedNode(OAM + "revision")
_AT_REVISION = NamedNode(OAM + "atRevision")
_INTEGER = NamedNode(XSD + "integer")
_FEW = 100  # revisions
_RECORDS = re.compile(r"graph/(?:system|[^/]+/provenance(?:/[a-z]+)?)$")  # graphs that the writer alone fills


@dataclass(frozen=True, slots=True)
class Replacement:
    """The graphs that are dropped and the quads that take their place; ``assertion`` is stamped with the revision."""

    drop: tuple[str, ...]
    quads: Sequence[Quad]
    assertion: str
    provenance: str


def open_store(folder: Path) -> Store:
    """Open a store for writing. A store has no close of its own: it closes when nothing refers to it any more.

    So an earlier writer of this very process may still hold RocksDB's lock through a reference cycle (a traceback, a
    closure); collecting the garbage lets go of it. Another process cannot be the holder: we have the write lock.
    """
    try:
        return Store(str(folder))
    except OSError:
        gc.collect()
    try:
        return Store(str(folder))
    except OSError as error:
        full = "No space left" in str(error) or "Read-only" in str(error)
        hint = (
            "nothing is damaged: free some space or make it writable"
            if full
            else "run `oam doctor`, or restore a backup"
        )
        raise Damaged(f"the store does not open: {error}", place=str(folder), hint=hint) from error


def committed_after(store: Store, revision: int) -> set[str]:
    """Assertion graphs of what was committed after ``revision``.

    A few revisions are looked up one by one: there is a stamp for every document. A store that does not say which revision
    it shows is read through.
    """
    now = max((number for _, number in recorded(store, _REVISION)), default=None)
    if now is not None and now - revision <= _FEW:
        wanted = [_number(number) for number in range(revision + 1, now + 1)]
        return {graph for number in wanted for graph, _ in recorded(store, _AT_REVISION, number)}
    return {graph for graph, number in recorded(store, _AT_REVISION) if number > revision}


def recorded(store: Store, predicate: NamedNode, value: Literal | None = None) -> Iterator[tuple[str, int]]:
    """(subject, number) of what the writer recorded with ``oam:revision`` or ``oam:atRevision``.

    A source may say anything with these words, but only in the graph of its assertions.
    """
    for quad in store.quads_for_pattern(None, predicate, value):
        if isinstance(quad.graph_name, NamedNode) and _RECORDS.search(quad.graph_name.value):
            yield quad.subject.value, int(quad.object.value)  # type: ignore[union-attr]


class LiveStore:
    """Writes committed changes; each one raises the revision by one, whole or not at all."""

    def __init__(self, layout: Layout, minter: Minter) -> None:
        self.layout = layout
        self.minter = minter
        layout.live.mkdir(parents=True, exist_ok=True)
        self.store = open_store(layout.live)
        self._system = NamedNode(minter.system_graph())
        self._subject = NamedNode(minter.knowledge_base())
        self._recover()

    def close(self) -> None:
        """Let go of the store, so that the next writer, in this process or another, can open it at once."""
        self.__dict__.pop("store", None)

    def __enter__(self) -> LiveStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def revision(self) -> int:
        """Number of committed changes."""
        for quad in self.store.quads_for_pattern(self._subject, _REVISION, None, self._system):
            return int(quad.object.value)  # type: ignore[union-attr]
        return 0

    def select(self, query: str, **options: Any) -> Iterable[Any]:
        """Solutions of one of our own queries over the union of all graphs."""
        return self.store.query(query, use_default_graph_as_union=True, **options)  # type: ignore[return-value]

    def commit(self, changes: Sequence[Replacement]) -> int:
        """Land the changes as one revision; returns it.

        New graphs are bulk-loaded under a journal row that names them (three times faster than an update); replaced
        graphs go in one update string, which Oxigraph rolls back whole.
        """
        revision = self.revision + 1
        fresh = [change for change in changes if not any(self._exists(graph) for graph in change.drop)]
        replaced = [change for change in changes if change not in fresh]
        if fresh:
            names = sorted({quad.graph_name.value for change in fresh for quad in change.quads})  # type: ignore[union-attr]
            write_atomic(self.layout.journal, json.dumps({"revision": revision, "graphs": names}).encode())
            self.store.bulk_extend(quad for change in fresh for quad in (*change.quads, self._stamp(change, revision)))
        operations = [f"DROP SILENT GRAPH {NamedNode(graph)}" for change in replaced for graph in change.drop]
        quads = [quad for change in replaced for quad in (*change.quads, self._stamp(change, revision))]
        operations.append(f"DELETE WHERE {{ GRAPH {self._system} {{ {self._subject} {_REVISION} ?old }} }}")
        quads.append(Quad(self._subject, _REVISION, _number(revision), self._system))
        operations.append(_data("INSERT", quads))
        self.store.update(" ;\n".join(operations))
        if fresh:
            self.store.flush()
            self.layout.journal.unlink()
        return revision

    def amend(self, gone: Sequence[Quad], new: Sequence[Quad], places: Iterable[tuple[str, str]]) -> int:
        """Take single quads out of stored graphs and put others in, as one revision; returns it.

        One update string, which Oxigraph rolls back whole; nothing else of the graphs is read or written. ``places`` are the
        (assertion graph, provenance graph) of the documents concerned, which are stamped with the revision.
        """
        revision = self.revision + 1
        stamps: list[Quad] = []
        old = list(gone)
        for assertion, provenance in sorted(set(places)):
            node, place = NamedNode(assertion), NamedNode(provenance)
            old += self.store.quads_for_pattern(node, _AT_REVISION, None, place)
            stamps.append(Quad(node, _AT_REVISION, _number(revision), place))
        old += self.store.quads_for_pattern(self._subject, _REVISION, None, self._system)
        stamps.append(Quad(self._subject, _REVISION, _number(revision), self._system))
        operations = [_data("DELETE", old)] if old else []
        # A graph without a quad would still be there by name, and would count in the content hash.
        taken: dict[Any, set[Quad]] = {}
        for quad in gone:
            taken.setdefault(quad.graph_name, set()).add(quad)
        for graph in taken.keys() - {quad.graph_name for quad in new}:
            if all(quad in taken[graph] for quad in self.store.quads_for_pattern(None, None, None, graph)):
                operations.append(f"DROP SILENT GRAPH {graph}")
        operations.append(_data("INSERT", [*new, *stamps]))
        self.store.update(" ;\n".join(operations))
        return revision

    def _stamp(self, change: Replacement, revision: int) -> Quad:
        return Quad(NamedNode(change.assertion), _AT_REVISION, _number(revision), NamedNode(change.provenance))

    def _exists(self, graph: str) -> bool:
        return self.store.contains_named_graph(NamedNode(graph))

    def _recover(self) -> None:
        """A journal that outlived its writer: either its revision was reached, or its graphs are half-loaded and go."""
        if not self.layout.journal.exists():
            return
        row = json.loads(self.layout.journal.read_bytes())
        if self.revision < row["revision"]:
            for graph in row["graphs"]:
                self.store.remove_graph(NamedNode(graph))
            self.store.flush()
        self.layout.journal.unlink()


def _number(value: int) -> Literal:
    return Literal(str(value), datatype=_INTEGER)


def _data(verb: str, quads: Sequence[Quad]) -> str:
    """``INSERT DATA`` or ``DELETE DATA`` of the quads."""
    by_graph: dict[str, list[Quad]] = {}
    for quad in quads:
        by_graph.setdefault(str(quad.graph_name), []).append(quad)
    blocks = []
    for graph, members in by_graph.items():
        triples = serialize((quad.triple for quad in members), format=RdfFormat.N_TRIPLES)
        blocks.append(f"GRAPH {graph} {{\n{(triples or b'').decode()}}}")
    return f"{verb} DATA {{\n" + "\n".join(blocks) + "\n}"
