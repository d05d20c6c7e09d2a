"""The events of a status history as quads of the document that tells of them: a later ingest of what they are about
leaves them alone, and one whose id is not known yet waits for its document under that id (formats.md, "In" 12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.model import StatusEvent
from oam_rdf.namespaces import OAM, RDF, XSD, concept
from oam_rdf.store.minter import Minter


def status_quads(
    events: Sequence[StatusEvent], objects: Sequence[str | None], document: str, graph: str, minter: Minter
) -> Iterator[Quad]:
    """Quads of ``events``; ``objects`` are the IRIs that their ids resolved to, None where nothing fits yet."""
    where = NamedNode(graph)
    for number, (event, resolved) in enumerate(zip(events, objects, strict=True), 1):
        node = NamedNode(minter.dependent(document, f"event{number}"))
        said: list[tuple[str, NamedNode | Literal]] = [
            (RDF + "type", NamedNode(OAM + "StatusEvent")),
            (OAM + "statusFrom", Literal(event.time, datatype=NamedNode(XSD + "dateTime"))),
            (OAM + "sourceLabel", Literal(event.word)),
            (OAM + "order", _number(number)),
        ]
        said.append(
            (OAM + "targetLabel", Literal(event.of)) if resolved is None else (OAM + "statusOf", NamedNode(resolved))
        )
        if event.status:
            said.append((OAM + "statusGiven", NamedNode(concept("version-status", event.status))))
        if event.commit:
            said.append((OAM + "commit", Literal(event.commit)))
        if event.line:
            said.append((OAM + "sourceLine", _number(event.line)))
        for predicate, value in said:
            yield Quad(node, NamedNode(predicate), value, where)


def _number(value: int) -> Literal:
    return Literal(str(value), datatype=NamedNode(XSD + "integer"))
