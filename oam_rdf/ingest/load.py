"""Bringing an export back: TriG or N-Quads in our own graphs, with its Originals (formats.md, "Out")."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from oam_rdf.errors import ParseError, Refused, UsageError
from oam_rdf.ingest.gate import Gate
from oam_rdf.ingest.history import History
from oam_rdf.ingest.publication import Publication
from oam_rdf.model import Issue
from oam_rdf.namespaces import DCTERMS, PROV, RDF
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import DocumentQuads
from oam_rdf.store.inference import infer
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.minter import Minter, document_segment
from oam_rdf.store.originals import Originals
from oam_rdf.store.shacl import Validator

_FORMATS = {".trig": RdfFormat.TRIG, ".nq": RdfFormat.N_QUADS, ".jsonld": RdfFormat.JSON_LD}
_TYPE = NamedNode(RDF + "type")


@dataclass(slots=True)
class LoadReport:
    """What a load did."""

    documents: int = 0
    quads: int = 0
    originals: int = 0
    generation: int | None = None
    issues: list[Issue] = field(default_factory=list)


def load(
    layout: Layout, config: Config, ontology: Ontology, file: Path, originals: Path, *, wait: float = 30.0
) -> LoadReport:
    """Load an export made under the same base. All or nothing: raises :class:`Refused` naming the first violation."""
    if file.suffix not in _FORMATS:
        raise UsageError(
            f"cannot load {file.suffix or 'this'} files", place=str(file), hint="export with --format trig or nquads"
        )
    try:
        quads = list(parse(path=str(file), format=_FORMATS[file.suffix]))
    except SyntaxError as error:
        raise ParseError(str(error), place=f"{file}:{error.lineno or 0}") from error
    minter, report = Minter(config.base), LoadReport(quads=len(quads))
    documents = _by_document(quads, minter, file)
    target, source = Originals(layout.originals), Originals(originals)
    with WriteLock(layout.lock, verb="load", wait=wait), LiveStore(layout, minter) as live:
        gate = Gate(Validator(), live, _incoming(quads), _types(quads), frozenset())
        changes = []
        history: list[Quad] = []
        for segment in sorted(documents):
            history += [quad for quad in documents[segment] if _is_history(quad)]
            documents[segment] = [quad for quad in documents[segment] if not _is_history(quad)]
            item = _encoded(documents[segment], minter)
            bad = [issue for issue in gate.check(item, file.name) if issue.severity == "error"]
            if bad:
                raise Refused(str(bad[0]), place=str(file), hint="nothing was loaded")
            report.originals += _fetch(_originals(documents[segment], minter), source, target, file)
            prefix = f"{minter.base}graph/{segment}/"
            old = [
                g.value for g in live.store.named_graphs() if isinstance(g, NamedNode) and g.value.startswith(prefix)
            ]
            changes.append(
                Replacement(
                    tuple(sorted(old)),
                    [*item.quads(), *infer(item.quads(), ontology)],
                    f"{minter.base}graph/{segment}/assertion",
                    f"{minter.base}graph/{segment}/provenance",
                )
            )
        report.originals += _fetch(_originals(history, minter), source, target, file)
        if history:
            History(layout, minter).store.extend(history)
        for start in range(0, len(changes), 64):
            live.commit(changes[start : start + 64])
        report.documents = len(changes)
        report.generation = Publication(layout, live, minter, target).publish()
    return report


def _by_document(quads: list[Quad], minter: Minter, file: Path) -> dict[str, list[Quad]]:
    documents: dict[str, list[Quad]] = {}
    for quad in quads:
        name = quad.graph_name.value if isinstance(quad.graph_name, NamedNode) else ""
        segment = document_segment(name)
        if segment is None or not name.startswith(minter.base):
            raise UsageError(
                f"graph <{name or 'default'}> is not a document graph under {minter.base}",
                place=str(file),
                hint="use `oam ingest` for foreign RDF, or `oam init --base` with the base of the export",
            )
        documents.setdefault(segment, []).append(quad)
    return documents


def _encoded(quads: list[Quad], minter: Minter) -> DocumentQuads:
    identifier = ""
    for quad in quads:
        # Of all identifiers in a document's graphs, only the document's own has no local part.
        value = quad.object
        if quad.predicate.value == DCTERMS + "identifier" and isinstance(value, Literal) and "#" not in value.value:
            identifier = value.value if minter.document(value.value) == _iri(quad) else identifier
    out = DocumentQuads(identifier, minter.document(identifier))
    for quad in quads:
        out.graphs.setdefault(quad.graph_name.value, []).append(quad)  # type: ignore[union-attr]
    return out


def _is_history(quad: Quad) -> bool:
    return isinstance(quad.graph_name, NamedNode) and quad.graph_name.value.endswith("/history")


def _originals(quads: list[Quad], minter: Minter) -> list[str]:
    """Hashes of the Originals that the quads derive from."""
    prefix, derived = minter.original(""), PROV + "wasDerivedFrom"
    found = {
        quad.object.value.removeprefix(prefix)
        for quad in quads
        if quad.predicate.value == derived
        and isinstance(quad.object, NamedNode)
        and quad.object.value.startswith(prefix)
    }
    return sorted(found)


def _fetch(hashes: list[str], source: Originals, target: Originals, file: Path) -> int:
    """Bring Originals over; returns how many were new. Raises :class:`Refused` for one that is not there."""
    new = [sha256 for sha256 in hashes if target.find(sha256) is None]
    for sha256 in new:
        found = source.find(sha256)
        if found is None:
            what = f"the Original sha256-{sha256} is not in {source.folder}"
            raise Refused(what, place=str(file), hint="name its folder with --originals")
        target.add(source.read(sha256), found.suffix)
    return len(new)


def _incoming(quads: list[Quad]) -> dict[str, list[Triple]]:
    found: dict[str, list[Triple]] = {}
    for quad in quads:
        if isinstance(quad.object, NamedNode) and quad.predicate != _TYPE:
            found.setdefault(quad.object.value, []).append(quad.triple)
    return found


def _types(quads: list[Quad]) -> dict[str, NamedNode]:
    return {_iri(quad): quad.object for quad in quads if quad.predicate == _TYPE and isinstance(quad.object, NamedNode)}


def _iri(quad: Quad) -> str:
    return quad.subject.value if isinstance(quad.subject, NamedNode) else ""
