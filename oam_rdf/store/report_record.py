"""A validation run kept in the knowledge base: a prov:Activity in a graph of its own that retrieval never reads."""

from __future__ import annotations

import hashlib
from datetime import datetime

from pyoxigraph import Literal, NamedNode, Quad, Triple

from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OAM, PROV, RDF, XSD, concept
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.projection import graph_levels
from oam_rdf.store.report_outcome import Validation
from oam_rdf.store.report_rdf import report_triples


def record(live: LiveStore, found: Validation, started: datetime, ended: datetime, revision: int) -> str:
    """Commit the run as one revision; returns the graph's IRI, ``<base>graph/validation:<hash>``.

    ``started`` and ``ended`` are UTC. ``revision`` is the one that was validated. The graph may be seen by those only who
    may see all that was validated, because a finding names what it found.
    """
    minter = live.minter
    facts = "\0".join(
        [started.isoformat(), found.report.engine, str(revision), *(r.fingerprint for r in found.report.results)]
    )
    # No slash after "validation": the graphs of a document with that id begin with graph/validation/.
    name = f"{minter.base}graph/validation:{hashlib.sha256(facts.encode()).hexdigest()[:32]}"
    run, report = NamedNode(f"{name}#run"), f"{name}#report"
    prov, date = PROV, NamedNode(XSD + "dateTime")

    def number(value: int) -> Literal:
        return Literal(str(value), datatype=NamedNode(XSD + "integer"))

    triples = [
        Triple(run, NamedNode(RDF + "type"), NamedNode(prov + "Activity")),
        Triple(run, NamedNode(prov + "startedAtTime"), Literal(_moment(started), datatype=date)),
        Triple(run, NamedNode(prov + "endedAtTime"), Literal(_moment(ended), datatype=date)),
        Triple(run, NamedNode(prov + "used"), NamedNode(minter.knowledge_base())),
        Triple(run, NamedNode(prov + "wasAssociatedWith"), NamedNode(minter.agent(found.report.engine))),
        Triple(run, NamedNode(DCTERMS + "description"), Literal(_summary(found))),
        Triple(run, NamedNode(OAM + "revision"), number(revision)),
        Triple(NamedNode(report), NamedNode(prov + "wasGeneratedBy"), run),
        *report_triples(found, report, f"{name}#"),
    ]
    narrowest = max(graph_levels(live.store).values(), default=0)
    if narrowest:
        level = NamedNode(concept("visibility", VISIBILITIES[narrowest]))
        triples.append(Triple(NamedNode(name), NamedNode(OAM + "visibility"), level))
    graph = NamedNode(name)
    live.commit([Replacement((name,), [Quad(t.subject, t.predicate, t.object, graph) for t in triples], name, name)])
    return name


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _summary(found: Validation) -> str:
    return (
        f"{len(found.report.results)} findings, {len(found.failing)} that count from {found.fail_on} on, "
        f"{found.report.checked} focus nodes, exit code {found.exit_code}"
    )
