"""Tables that are spliced hold the bytes of those that are made anew, whatever changed."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.ingest import tables
from oam_rdf.ingest.touched import graph_names
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, XSD, concept
from oam_rdf.store import publish

B = "http://oam.localhost/"
DOCUMENTS = ("A", "B", "C", "D")
OBJECTS = [f"{B}doc/{name}{part}" for name in DOCUMENTS for part in ("", "#S", "#S1", "#S2")] + [f"{B}ko/K-1"]
SPANS = [f"{iri}.span{n}" for iri in OBJECTS[::3] for n in ("", "2")]
NODES = [f"{iri}.rel" for iri in OBJECTS[::4]] + [f"{iri}.tag" for iri in OBJECTS[1::4]]
ORIGINALS = [f"{B}original/sha256-{digit * 64}" for digit in "12"]
PARTS = ("assertion", "assertion/internal", "assessment", "annotation/import", "annotation/x", "provenance", "inferred")
GRAPHS = [f"{B}graph/{name}/{part}" for name in DOCUMENTS for part in PARTS]
TEXTS = ("Alpha", "alpha", "K-1", "Über", "資料庫", "")
DAYS = ("2020-01-01T00:00:00Z", "2021-05-01", "2022-01-01T00:00:00.5Z", "soon")

Edit: TypeAlias = tuple[str, str, NamedNode | Literal]


def iris(values: list[str]) -> st.SearchStrategy[NamedNode | Literal]:
    return st.sampled_from(values).map(NamedNode)


def said(
    subjects: list[str], predicates: list[str], values: st.SearchStrategy[NamedNode | Literal]
) -> st.SearchStrategy[Edit]:
    return st.tuples(st.sampled_from(subjects), st.sampled_from(predicates), values)


def notions(scheme: str, *names: str) -> st.SearchStrategy[NamedNode | Literal]:
    return iris([concept(scheme, name) for name in names])


TEXT: st.SearchStrategy[NamedNode | Literal] = st.sampled_from([Literal(text) for text in TEXTS])
TAGGED: st.SearchStrategy[NamedNode | Literal] = st.sampled_from(
    [Literal("x"), Literal("x", language="en"), Literal("x", language="zh-hant")]
)
NUMBER: st.SearchStrategy[NamedNode | Literal] = st.sampled_from(
    [Literal(str(n), datatype=NamedNode(XSD + "integer")) for n in (0, 3, 12)]
)
SURE: st.SearchStrategy[NamedNode | Literal] = st.sampled_from(
    [Literal(n, datatype=NamedNode(XSD + "decimal")) for n in ("0.2", "0.7")]
)
TIME: st.SearchStrategy[NamedNode | Literal] = st.sampled_from(
    [Literal(day, datatype=NamedNode(XSD + "dateTime")) for day in DAYS]
)
STATEMENTS = st.one_of(
    said(
        OBJECTS, [RDF + "type"], iris([OAM + name for name in ("Document", "Section", "Statement", "Term", "Nothing")])
    ),
    said(OBJECTS, [RDF + "type"], iris([OAM + name for name in ("Document", "Section", "Statement")])),
    said(
        OBJECTS,
        [DCTERMS + "isPartOf", OAM + "supersedes", OAM + "refines", OAM + "extends", OAM + "cites"],
        iris(OBJECTS),
    ),
    said(OBJECTS, [DCTERMS + name for name in ("identifier", "title", "subject")], TEXT),
    said(OBJECTS, [OAM + "alias", OAM + "sourceStatus", PAV + "version"], TEXT),
    said(OBJECTS, [DCTERMS + "language"], st.sampled_from([Literal(tag) for tag in ("en", "zh-Hant")])),
    said(OBJECTS, [OAM + "content"], TAGGED),
    said(OBJECTS, [OAM + "versionStatus"], notions("version-status", "ACTIVE", "DEPRECATED", "SUPERSEDED")),
    said(OBJECTS, [OAM + "epistemicState"], notions("epistemic-state", "CONJECTURE", "DERIVED")),
    said(OBJECTS, [OAM + "validFrom", OAM + "deprecatedAt", DCTERMS + "created"], TIME),
    said(OBJECTS, [OAM + "hasOperator"], notions("operator", "REP", "REP.FORMALIZE")),
    said(OBJECTS, [PROV + "wasQuotedFrom"], iris(SPANS)),
    said(OBJECTS, [PROV + "wasDerivedFrom"], iris(ORIGINALS)),
    said(SPANS, [OA + "start", OA + "end"], NUMBER),
    said(SPANS, [OA + "hasSource"], iris(ORIGINALS)),
    said(NODES, [OAM + "relationSource", OAM + "relationTarget", OA + "hasTarget"], iris(OBJECTS)),
    said(NODES, [OAM + "relationType"], iris([OAM + "refines", OAM + "cites"])),
    said(NODES, [OA + "hasBody"], notions("operator", "REP", "REP.FORMALIZE")),
    said(NODES, [OAM + "confidence"], SURE),
    said(NODES, [OAM + "verdict"], notions("verdict", "ok", "wrong", "pending")),
    said(NODES, [OAM + "reviewStatus"], notions("review-status", "REVIEWED", "REJECTED")),
    said(GRAPHS, [OAM + "visibility"], notions("visibility", "INTERNAL", "RESTRICTED", "NO_SUCH")),
    said(GRAPHS, [OAM + "committedAt"], TIME),
    said(GRAPHS, [OAM + "sourcePath"], st.sampled_from([Literal(name) for name in ("a.md", "x/K-1.md")])),
    said(OBJECTS, [OAM + "authorId", OAM + "provenanceType"], TEXT),
)


def quads_in(graphs: list[str]) -> st.SearchStrategy[Quad]:
    return st.builds(
        lambda edit, graph: Quad(NamedNode(edit[0]), NamedNode(edit[1]), edit[2], NamedNode(graph)),
        STATEMENTS,
        st.sampled_from(graphs),
    )


QUADS = quads_in(GRAPHS)


def described() -> list[Quad]:
    """Most objects are said to be something, so that most of what is drawn is about rows."""
    found = []
    for iri in OBJECTS[:12]:
        document, kind = iri.partition("#")[0], "Statement" if "#" in iri else "Document"
        graph = NamedNode(f"{B}graph/{document[-1]}/assertion")
        found.append(Quad(NamedNode(iri), NamedNode(RDF + "type"), NamedNode(OAM + kind), graph))
        if iri != document:
            found.append(Quad(NamedNode(iri), NamedNode(DCTERMS + "isPartOf"), NamedNode(document), graph))
    return found


def stamps(revisions: dict[str, int]) -> list[Quad]:
    number = NamedNode(XSD + "integer")
    return [
        Quad(NamedNode(f"{B}graph/{name}/assertion"), NamedNode(OAM + "atRevision"), Literal(str(revision), datatype=number),
             NamedNode(f"{B}graph/{name}/provenance"))
        for name, revision in revisions.items()
    ]  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def document_of(quad: Quad) -> str:
    return quad.graph_name.value.removeprefix(f"{B}graph/")[0]  # type: ignore[union-attr]


class Generations:
    """Publishes stores one after the other, each spliced into the one before, and makes each anew beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.base: Path | None = None
        self.revision = 0
        self.read = 0

    def add(self, quads: list[Quad], revisions: dict[str, int]) -> tuple[dict[str, bytes], dict[str, bytes]]:
        live = Store()
        live.extend([*quads, *stamps(revisions)])
        made = []
        for name, base in (("spliced", self.base), ("anew", None)):
            new = self.root / f"{self.revision}-{name}"
            new.mkdir()
            read = tables.build(live, new, base, self.revision, graph_names(live))
            made.append(files(new))
            if name == "spliced":
                self.read, spliced = read, new
        publish.write_checksums(spliced)
        store = Store(str(spliced / "store"))
        store.extend(live)
        store.flush()
        self.base, self.revision = spliced, max(revisions.values(), default=self.revision)
        return made[0], made[1]


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_spliced_tables_are_those_made_anew(data: st.DataObject) -> None:
    tables._SHARE, share = 1e9, tables._SHARE  # a world so small would always be made anew
    try:
        with TemporaryDirectory() as folder:
            generations = Generations(Path(folder))
            quads = {*described(), *data.draw(st.lists(QUADS, min_size=20, max_size=120), label="first")}
            generations.add(sorted(quads, key=str), dict.fromkeys(DOCUMENTS, 1))
            revisions = dict.fromkeys(DOCUMENTS, 1)
            for step in range(2, 4):
                # One or two documents change: some of what they say goes, other things come.
                names = data.draw(st.sets(st.sampled_from(DOCUMENTS), min_size=1, max_size=2), label="changed")
                own = sorted((quad for quad in quads if document_of(quad) in names), key=str)
                gone = data.draw(st.sets(st.sampled_from(own), max_size=8) if own else st.just(set()), label="gone")
                if data.draw(st.integers(0, 5), label="removed") == 0:
                    gone = set(own)
                graphs = [graph for graph in GRAPHS if graph.removeprefix(f"{B}graph/")[0] in names]
                came = data.draw(st.lists(quads_in(graphs), max_size=8), label="came")
                quads = (quads - gone) | set(came)
                revisions |= dict.fromkeys(names, step)
                spliced, anew = generations.add(sorted(quads, key=str), revisions)
                assert spliced.keys() == anew.keys()
                assert [name for name in anew if spliced[name] != anew[name]] == []
    finally:
        tables._SHARE = share


def quad(subject: str, predicate: str, value: str | Literal, graph: str) -> Quad:
    term = value if isinstance(value, Literal) else NamedNode(value)
    return Quad(NamedNode(subject), NamedNode(predicate), term, NamedNode(f"{B}graph/{graph}"))


A, X = f"{B}doc/A", f"{B}doc/B#X"
POINTING = [
    quad(A, RDF + "type", OAM + "Document", "A/assertion"),
    quad(A, OAM + "refines", X, "A/assertion"),
    quad(A, OAM + "supersedes", X, "A/assertion"),
    quad(f"{A}#S", RDF + "type", OAM + "Statement", "A/assertion"),
    quad(f"{A}#S", DCTERMS + "isPartOf", X, "A/assertion"),
    quad(f"{A}.tag", OA + "hasTarget", A, "A/annotation/import"),
    quad(f"{A}.tag", OA + "hasBody", concept("operator", "REP"), "A/annotation/import"),
    quad(f"{A}.rel", OAM + "relationSource", A, "A/assertion"),
    quad(f"{A}.rel", OAM + "relationType", OAM + "cites", "A/assertion"),
    quad(f"{A}.rel", OAM + "relationTarget", f"{A}#S", "A/assertion"),
    quad(A, OAM + "cites", f"{A}#S", "A/assertion"),
    quad(A, PROV + "wasQuotedFrom", f"{A}.span", "A/assertion"),
    quad(f"{A}.span", OA + "start", Literal("1"), "A/assertion"),
    quad(f"{A}.span", OA + "hasSource", ORIGINALS[0], "A/assertion"),
]
IN_B = {
    "an object that others name comes": [quad(X, RDF + "type", OAM + "Statement", "B/assertion")],
    "a tag of another's object is turned down": [
        quad(f"{A}.tag", OAM + "reviewStatus", concept("review-status", "REJECTED"), "B/annotation/x")
    ],
    "a relation of another's object is turned down": [
        quad(f"{A}.rel", OAM + "verdict", concept("verdict", "wrong"), "B/assessment")
    ],
    "a span of another's object is completed": [quad(f"{A}.span", OA + "end", Literal("5"), "B/assertion")],
    "a value is said to be empty": [
        quad(A, OAM + "sourceStatus", Literal(value), "B/assertion") for value in ("", "draft")
    ],
    "another's graph is restricted": [
        quad(f"{B}graph/A/assertion", OAM + "visibility", concept("visibility", "INTERNAL"), "B/provenance")
    ],
}


@pytest.mark.parametrize("case", IN_B)
def test_what_one_document_says_moves_rows_of_another(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_SHARE", 1e9)
    generations = Generations(tmp_path)
    first, _ = generations.add(POINTING, {"A": 1, "B": 1})
    for step, quads in ((2, [*POINTING, *IN_B[case]]), (3, POINTING)):  # said, and taken back
        spliced, anew = generations.add(quads, {"A": 1, "B": step})
        assert [name for name in anew if spliced[name] != anew[name]] == []
        assert (spliced == first) == (step == 3)
