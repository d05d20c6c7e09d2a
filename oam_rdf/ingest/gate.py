"""The SHACL gate: nothing lands that the shapes refuse (architecture.md, "SHACL")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pyoxigraph import NamedNode, Quad, RdfFormat, Triple, serialize

from oam_rdf.model import Issue
from oam_rdf.namespaces import PROV, RDF
from oam_rdf.store.codec import DocumentQuads
from oam_rdf.store.live import LiveStore
from oam_rdf.store.shacl import ShapeResult, Validator
from oam_rdf.store.shapes import Shapes

_TYPE = NamedNode(RDF + "type")
_AGENTS = {NamedNode(PROV + name) for name in ("Agent", "SoftwareAgent", "Person", "Organization")}


@dataclass(slots=True)
class Gate:
    """Validates each candidate document together with its neighbourhood: what points at it, and the types it points to."""

    validator: Validator
    live: LiveStore
    incoming: Mapping[str, list[Triple]]  # edges of all candidates of this run, by target
    types: Mapping[str, NamedNode]  # classes of all objects of all candidates of this run
    replaced: frozenset[str]  # graphs that this run replaces: their stored edges no longer count

    def check(self, document: DocumentQuads, path: str) -> list[Issue]:
        """Errors (the document is refused) and warnings (it lands) with file, line, focus node, shape and message."""
        quads = list(document.quads())
        triples = {quad.triple for quad in quads if "/inferred" not in quad.graph_name.value}  # type: ignore[union-attr]
        triples |= self._neighbourhood(quads)
        data = serialize(sorted(triples, key=str), format=RdfFormat.N_TRIPLES)
        # The neighbourhood is context: what is wrong with it was said when it landed.
        own = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
        report = self.validator.validate((data or b"").decode(), focus=own)
        return [issue(result, document.places, path) for result in report.results]

    def _neighbourhood(self, quads: Iterable[Quad]) -> set[Triple]:
        own = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
        objects = {
            quad.subject.value
            for quad in quads
            # Who made a document made most others too: what points at them says nothing of this one.
            if quad.predicate == _TYPE and isinstance(quad.subject, NamedNode) and quad.object not in _AGENTS
        }
        around: set[Triple] = set()
        for iri in objects:
            around.update(self.incoming.get(iri, ()))
            for quad in self.live.store.quads_for_pattern(None, None, NamedNode(iri), None):
                if isinstance(quad.graph_name, NamedNode) and quad.graph_name.value not in self.replaced:
                    around.add(quad.triple)
        for quad in quads:
            value = quad.object
            if not isinstance(value, NamedNode) or value.value in own or quad.predicate == _TYPE:
                continue
            if value.value in self.types:
                around.add(Triple(value, _TYPE, self.types[value.value]))
            else:
                for stored in self.live.store.quads_for_pattern(value, _TYPE, None, None):
                    around.add(stored.triple)
        return around


def issue(result: ShapeResult, places: Mapping[str, int], path: str) -> Issue:
    """A shape's finding as a line for people: which object, which shape, what is wrong, where in the file."""
    severity = {"Violation": "error", "Warning": "warning"}.get(result.severity, "note")
    if severity == "error" and Shapes.load().across_documents(result.shape):
        severity = "warning"  # order of ingestion must never decide what lands
    message = result.messages.get("en") or next(iter(result.messages.values()), result.component)
    owner = result.focus
    while owner not in places and owner.rfind(".") > owner.rfind("#") > 0:
        owner = owner[: owner.rfind(".")]
    shape = result.shape.rsplit("/", 1)[-1]
    value = f", value {result.value}" if result.value else ""
    return Issue(
        severity,
        f"shape-{shape}",
        f"{message}: focus node <{result.focus}>, shape {shape}{value}",
        file=path,
        line=places.get(owner, 0),
        hint="correct the source and ingest it again"
        if severity == "error"
        else "it landed; ingest the document that it needs, `oam validate` judges the whole",
    )
