"""A TCF-lite object of a document that never was one: what its own labels and links say, and nothing that they do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyoxigraph import Literal, NamedNode, Store

from oam_rdf.namespaces import DCTERMS, OAM, SCHEMES
from oam_rdf.store import tcf_form
from oam_rdf.store.document_facts import DocumentFacts
from oam_rdf.store.minter import Minter
from oam_rdf.store.tcf_form import Json

VERSION = "0.1"
_IDENTIFIER, _TITLE = DCTERMS + "identifier", DCTERMS + "title"
_AXIOMS, _THEOREMS = ("AXIOM",), ("THEOREM", "LEMMA")
#: Relations that ``external_refs`` knows.
_TYPES = ("depends_on", "extends", "applies", "critiques", "verifies", "uses")


def extract(facts: DocumentFacts, store: Store, minter: Minter, document_id: str) -> Json:
    """Axioms and theorems with their wording as evidence, definitions as concepts, relations to other documents."""
    iri = facts.iri
    local = {subject: _local(facts, subject, document_id) for subject in facts.subjects()}
    axioms = _statements(facts, _AXIOMS, "Axiom")
    theorems = _statements(facts, _THEOREMS, "Theorem")
    order = [local[s] for s in (*axioms, *theorems)]
    needs = {s: [local[t] for t in facts.texts(s, OAM + "dependsOn") if t in local] for s in (*axioms, *theorems)}
    path = next(_texts(store, None, OAM + "sourcePath", minter.graph(document_id, "provenance")), "")
    found: Json = {
        "tcf_extract_version": VERSION,
        "id": document_id,
        "title": facts.text(iri, _TITLE),
        "language": facts.text(iri, DCTERMS + "language"),
        "source_file": path,
        "primitives": [],
        "axioms": [_entry(facts, s, local[s], "description") for s in axioms],
        "theorems": [
            _entry(facts, s, local[s], "statement")
            | {"from_axioms": tcf_form.axioms_among(needs[s], [local[a] for a in axioms])}
            for s in theorems
        ],
        "dag": [
            tcf_form.dag_row(local[s], kind, needs[s], order)
            for kind, group in (("axiom", axioms), ("theorem", theorems))
            for s in group
        ],
        "concepts": [_concept(facts, s) for s in _statements(facts, ("DEFINITION",), "Definition") if _name(facts, s)],
        "external_refs": _references(facts, store, local),
    }
    return found


def _statements(facts: DocumentFacts, kinds: tuple[str, ...], name: str) -> list[str]:
    """Statements of some kinds, or of a class, in the order in which they stand."""
    wanted = {SCHEMES["statement-kind"] + kind for kind in kinds}
    found = {s for s in facts.subjects() if wanted & set(facts.texts(s, OAM + "statementKind"))} | set(
        facts.of_type(name)
    )
    return sorted((s for s in found if facts.text(s, OAM + "content")), key=lambda s: (_start(facts, s), s))


def _start(facts: DocumentFacts, subject: str) -> int:
    spans = facts.texts(subject, "http://www.w3.org/ns/prov#wasQuotedFrom")
    starts = [facts.text(span, "http://www.w3.org/ns/oa#start") for span in spans]
    return min((int(start) for start in starts if start), default=1 << 60)


def _local(facts: DocumentFacts, subject: str, document_id: str) -> str:
    identifier = facts.text(subject, _IDENTIFIER)
    return facts.text(subject, OAM + "authorId") or identifier.removeprefix(document_id + "#")


def _name(facts: DocumentFacts, subject: str) -> str:
    return facts.text(subject, _TITLE) or facts.text(subject, OAM + "authorId")


def _entry(facts: DocumentFacts, subject: str, identifier: str, key: str) -> Json:
    """The wording is the document's own, so it is its own evidence."""
    content = facts.text(subject, OAM + "content")
    found: dict[str, Any] = {"id": identifier}
    if title := facts.text(subject, _TITLE):
        found["name"] = title
    if formula := facts.text(subject, OAM + "formula"):
        found["formula"] = formula
    return found | {key: content, "evidence": content}


def _concept(facts: DocumentFacts, subject: str) -> Json:
    return {"name": _name(facts, subject), "role": "defines", "evidence": facts.text(subject, OAM + "content")}


def _references(facts: DocumentFacts, store: Store, local: dict[str, str]) -> list[Json]:
    """Relations of the document or its parts to something outside of it, each pair and type once."""
    found: dict[tuple[str, str], None] = {}
    names = tcf_form.notations()
    for iri, name in names.items():
        if name not in _TYPES:
            continue
        for subject in local:
            for target in facts.texts(subject, iri):
                if target not in local:
                    found[name, _called(store, target)] = None
    for node in facts.of_type("Relation"):
        name = names.get(facts.text(node, OAM + "relationType"), "")
        label = facts.text(node, OAM + "targetLabel")
        if name in _TYPES and label and not label.startswith("#") and not facts.text(node, OAM + "inverted"):
            found[name, label] = None
    return [{"target": target, "type": name, "confidence": None} for name, target in sorted(found)]


def _called(store: Store, iri: str) -> str:
    return min(_texts(store, iri, _IDENTIFIER), default=iri)


def _texts(store: Store, subject: str | None, predicate: str, graph: str | None = None) -> Iterator[str]:
    nodes = [NamedNode(name) if name else None for name in (subject, predicate, graph)]
    for quad in store.quads_for_pattern(nodes[0], nodes[1], None, nodes[2]):
        if isinstance(quad.object, Literal):
            yield quad.object.value
