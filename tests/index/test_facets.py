"""Facets: columns from a store, by one query per predicate."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.errors import Damaged
from oam_rdf.index.columns import Column, Strings
from oam_rdf.index.facet_table import ALIAS, BEGINNING, IDENTIFIER, TITLE
from oam_rdf.index.facets import Facets, build, micros
from oam_rdf.namespaces import DCTERMS, OA, OAM, PROV, RDF, XSD, concept

B = "http://oam.localhost/"


class Builder:
    """Adds quads; one document is a graph of its own."""

    def __init__(self) -> None:
        self.store = Store()

    def add(self, document: str, subject: str, predicate: str, value: str | Literal, graph: str = "assertion") -> None:
        term = value if isinstance(value, Literal) else NamedNode(value)
        self.store.add(Quad(NamedNode(subject), NamedNode(predicate), term, NamedNode(f"{B}graph/{document}/{graph}")))

    def document(self, name: str, language: str = "en", **dates: str) -> str:
        iri = f"{B}doc/{name}"
        self.add(name, iri, RDF + "type", OAM + "Document")
        self.add(name, iri, DCTERMS + "identifier", Literal(name))
        self.add(name, iri, DCTERMS + "title", Literal(f"Title of {name}", language=language))
        self.add(name, iri, DCTERMS + "language", Literal(language))
        self.add(name, iri, PROV + "wasDerivedFrom", f"{B}original/sha256-{name.encode().hex():0>64}")
        for key, value in dates.items():
            self.add(name, iri, OAM + key, Literal(value, datatype=NamedNode(XSD + "dateTime")))
        return iri

    def statement(self, document: str, local: str, start: int, end: int, graph: str = "assertion") -> str:
        iri = f"{B}doc/{document}#{local}"
        self.add(document, iri, RDF + "type", OAM + "Statement", graph)
        self.add(document, iri, DCTERMS + "identifier", Literal(f"{document}#{local}"), graph)
        self.add(document, iri, DCTERMS + "isPartOf", f"{B}doc/{document}", graph)
        self.add(document, iri, PROV + "wasQuotedFrom", f"{iri}.span", graph)
        self.add(document, f"{iri}.span", OA + "hasSource", f"{B}original/sha256-{document.encode().hex():0>64}", graph)
        for key, value in (("start", start), ("end", end)):
            number = Literal(str(value), datatype=NamedNode(XSD + "integer"))
            self.add(document, f"{iri}.span", OA + key, number, graph)
        self.add(document, iri, OAM + "epistemicState", concept("epistemic-state", "CONJECTURE"), "assessment")
        return iri

    def facets(self) -> Facets:
        def select(query: str) -> Iterable[Any]:
            return self.store.query(query, use_default_graph_as_union=True)  # type: ignore[return-value]

        return build(select)


def test_columns_and_masks() -> None:
    b = Builder()
    first = b.document("D1", "zh-Hant", validFrom="2020-01-01T00:00:00Z")
    b.document("D2")
    claim = b.statement("D1", "H1", 5, 9)
    f = b.facets()
    assert list(f.iris) == sorted([first, claim, f"{B}doc/D2"])
    row = f.row(claim)
    assert f.column("granularity")[row] == "STATEMENT" and f.column("epistemic_state")[row] == "CONJECTURE"
    # Oxigraph lower-cases language tags; a statement without one has its document's.
    assert f.column("language")[row] == "zh-Hant"
    assert f.iris[int(f.document[row])] == first and f.iris[int(f.parent[row])] == first
    assert f.mask("epistemic_state", "CONJECTURE").tolist() == [False, True, False]
    assert f.mask("epistemic_state", "NO_SUCH").sum() == 0
    assert f.mask("language", ["zh-Hant", "en"]).all()
    assert f.has_original.all() and f.row("http://e.x/nothing") == -1
    assert (f.span_owner.tolist(), f.span_start.tolist(), f.span_end.tolist()) == ([row], [5], [9])
    assert f.originals[int(f.span_source[0])] == b"D1".hex().rjust(64, "0")
    assert int(f.valid_from[f.row(first)]) == 1577836800 and int(f.valid_from[row]) == BEGINNING


def test_a_successor_makes_superseded_whatever_the_source_says_and_parts_inherit() -> None:
    b = Builder()
    old, new = b.document("OLD"), b.document("NEW")
    part = b.statement("OLD", "H1", 0, 4)
    b.add("OLD", old, OAM + "versionStatus", concept("version-status", "ACTIVE"))
    b.add("NEW", new, OAM + "supersedes", old)
    # What the program inferred elsewhere is no source's word.
    b.add("NEW", new, OAM + "versionStatus", concept("version-status", "SUPERSEDED"), "inferred")
    f = b.facets()
    status, said = f.column("version_status"), f.column("recorded_status")
    assert [status[f.row(x)] for x in (old, part, new)] == ["SUPERSEDED", "SUPERSEDED", "ACTIVE"]
    assert said[f.row(old)] == "ACTIVE"
    assert (f.edge_new.tolist(), f.edge_old.tolist()) == ([f.row(new)], [f.row(old)])


def test_one_superseded_statement_leaves_its_siblings_alone() -> None:
    b = Builder()
    b.document("D")
    statements = [b.statement("D", f"H{i}", i * 10, i * 10 + 5) for i in range(5)]
    b.document("E")
    better = b.statement("E", "H", 0, 5)
    b.add("E", better, OAM + "supersedes", statements[2])
    f = b.facets()
    status = f.column("version_status")
    assert [status[f.row(s)] for s in statements] == ["ACTIVE", "ACTIVE", "SUPERSEDED", "ACTIVE", "ACTIVE"]


def test_visibility_is_the_graphs_and_edges_need_both_ends_and_the_stating_graph() -> None:
    b = Builder()
    public, secret = b.document("P"), b.document("S")
    b.add("S", f"{B}graph/S/assertion", OAM + "visibility", concept("visibility", "INTERNAL"), "provenance")
    b.add("S", secret, OAM + "supersedes", public)
    narrow = b.statement("P", "H1", 0, 3, "assertion/restricted")
    b.add(
        "P", f"{B}graph/P/assertion/restricted", OAM + "visibility", concept("visibility", "RESTRICTED"), "provenance"
    )
    f = b.facets()
    seen = {name: f.visible(name) for name in ("PUBLIC", "INTERNAL", "RESTRICTED")}
    assert [bool(seen["PUBLIC"][f.row(x)]) for x in (public, secret, narrow)] == [True, False, False]
    assert [bool(seen["INTERNAL"][f.row(x)]) for x in (public, secret, narrow)] == [True, True, False]
    assert seen["RESTRICTED"].all()
    assert len(f.edges(seen["PUBLIC"], "PUBLIC")[0]) == 0 and len(f.edges(seen["INTERNAL"], "INTERNAL")[0]) == 1
    for level, status in (("PUBLIC", "ACTIVE"), ("INTERNAL", "SUPERSEDED")):
        assert f.effective_status(f.edges(seen[level], level)[1])[f.row(public)] == status


def test_an_edge_stated_in_a_restricted_graph_is_not_known_outside() -> None:
    b = Builder()
    old, new = b.document("OLD"), b.document("NEW")
    b.add("NEW", new, OAM + "supersedes", old, "assertion/internal")
    b.add("NEW", f"{B}graph/NEW/assertion/internal", OAM + "visibility", concept("visibility", "INTERNAL"), "provenance")
    f = b.facets()
    assert f.visible("PUBLIC").all()
    assert [len(f.edges(f.visible(c), c)[0]) for c in ("PUBLIC", "INTERNAL")] == [0, 1]
    b.add("OLD", new, OAM + "supersedes", old)  # said openly as well
    f = b.facets()
    assert len(f.edges(f.visible("PUBLIC"), "PUBLIC")[0]) == 1


def test_an_unknown_visibility_counts_as_the_narrowest() -> None:
    b = Builder()
    b.document("D")
    b.add("D", f"{B}graph/D/assertion", OAM + "visibility", concept("visibility", "FRIENDS"), "provenance")
    assert b.facets().visible("CONFIDENTIAL").sum() == 0


def test_names_however_they_are_written() -> None:
    b = Builder()
    iri = b.document("PEP-0241")
    b.add("PEP-0241", iri, OAM + "alias", Literal("Four Colour  Paper"))
    f = b.facets()
    row = f.row(iri)
    for name in ("PEP-241", "pep 241", "PEP-0241", "ＰＥＰ－241"):
        assert list(f.named(name)) == [(row, IDENTIFIER)], name
    assert (row, ALIAS) in list(f.named("four colour paper"))
    assert list(f.named("title of pep-0241")) == [(row, TITLE)]
    assert list(f.named("PEP-2410")) == [] and list(f.named("")) == []
    assert f.aliases(row) == ["Four Colour  Paper"]


def test_commit_times_are_told_apart_within_a_second() -> None:
    assert micros("2026-07-31T00:00:00.000002Z") - micros("2026-07-31T00:00:00.000001Z") == 1
    b = Builder()
    b.document("D")
    when = Literal("2026-07-31T00:00:00.25Z", datatype=NamedNode(XSD + "dateTime"))
    b.add("D", f"{B}graph/D/assertion", OAM + "committedAt", when, "provenance")
    assert b.facets().committed.tolist() == [micros("2026-07-31T00:00:00.25Z")]


def test_saved_and_opened_again_equal_bytes(tmp_path: Path) -> None:
    b = Builder()
    for name in ("資料庫", "C++", "C#"):
        b.document(name)
    b.facets().save(tmp_path / "a")
    b.facets().save(tmp_path / "b")
    f = Facets.open(tmp_path / "a")
    assert sorted(f.identifiers) == ["C#", "C++", "資料庫"]
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert all((tmp_path / "a" / n).read_bytes() == (tmp_path / "b" / n).read_bytes() for n in files)
    (tmp_path / "a" / "parent.npy").write_bytes(b"")
    with pytest.raises(Damaged, match="cannot read columns"):
        Facets.open(tmp_path / "a")
    with pytest.raises(Damaged):
        Facets.open(tmp_path / "absent")


def test_an_empty_store() -> None:
    f = Builder().facets()
    assert len(f) == 0 and f.visible("PUBLIC").shape == (0,) and f.row("x") == -1


def test_a_cycle_of_parts_ends() -> None:
    b = Builder()
    iri = b.document("D")
    one, two = b.statement("D", "a", 0, 1), b.statement("D", "b", 1, 2)
    for parent, child in ((one, two), (two, one)):
        b.store.remove(
            Quad(NamedNode(child), NamedNode(DCTERMS + "isPartOf"), NamedNode(iri), NamedNode(f"{B}graph/D/assertion"))
        )
        b.add("D", child, DCTERMS + "isPartOf", parent)
    f = b.facets()
    assert int(f.document[f.row(one)]) == -1 and int(f.document[f.row(iri)]) == f.row(iri)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(), unique=True))
def test_strings_find_what_they_hold(values: list[str]) -> None:
    ordered = sorted(values)
    strings = Strings.of(ordered)
    assert list(strings) == ordered and strings[:] == ordered
    assert [strings.find(v) for v in ordered] == list(range(len(ordered)))
    assert strings.find("\x00never there\x00") == -1


@given(st.lists(st.sampled_from(["", "a", "b", "c"])))
def test_a_mask_is_membership(names: list[str]) -> None:
    column = Column.of(names)
    assert [column[i] for i in range(len(column))] == names
    assert column.mask(["a", "x"]).tolist() == [name == "a" for name in names]


def test_ten_thousand_objects_are_fast() -> None:
    b = Builder()
    quads = []
    for d in range(100):
        inner = Builder()
        name = f"D{d:03d}"
        inner.document(name)
        for s in range(100):
            inner.statement(name, f"S{s}", s * 10, s * 10 + 9)
        quads += list(inner.store)
    b.store.bulk_extend(quads)
    began = time.perf_counter()
    f = b.facets()
    assert len(f) == 10100
    assert time.perf_counter() - began < 3  # 0.3 s alone on a quiet machine
    assert np.all(f.document >= 0)
