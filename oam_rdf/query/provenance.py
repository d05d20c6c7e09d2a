"""Where an object comes from, link by link: its characters in the Original, the file, who and what made it, who looked at it.

Every link is what a visible graph records; nothing is inferred. Activities are the runs that wrote the graphs in which the
object is described (ingest, taggers), then those that the sources themselves tell of. A run's time is that of the commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pyoxigraph import Literal, NamedNode

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.namespaces import DCTERMS, OAM, PAV, PROV, RDF, SCHEMES
from oam_rdf.query.agents import agent_name
from oam_rdf.query.epistemic import Assessment, history
from oam_rdf.query.evidence import evidence_of
from oam_rdf.query.generated import documents_of
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import SourceView, source
from oam_rdf.query.trace import Evidence
from oam_rdf.query.tracing import MISSING, Traced, Tracer
from oam_rdf.store.minter import document_segment
from oam_rdf.store.review import Decided, decided

CONTEXT = 80  # characters before and after a span


@dataclass(frozen=True, slots=True)
class File:
    """An Original and the file it was read from. ``state`` is "" where its bytes have their hash, else the reason."""

    original: str
    state: str
    path: str
    root: str
    media_type: str
    profile: str
    committed: str
    document: str

    def to_json(self) -> dict[str, Any]:
        return {**{name: getattr(self, name) for name in self.__slots__}, "verified": not self.state}


@dataclass(frozen=True, slots=True)
class Agent:
    """Who took part. ``software`` says that it is a program; ``version`` and ``model`` are those of the run."""

    name: str
    software: bool
    version: str
    model: str

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Activity:
    """What made the object or what is said of it. ``kind`` is a notation of activity-kind, "" if none is known;
    ``recorded``: ``here`` for a run of this knowledge base, ``source`` for one that a source tells of."""

    iri: str
    kind: str
    time: str
    recorded: str
    agents: tuple[Agent, ...]

    def to_json(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.__slots__}
        return {**values, "agents": [agent.to_json() for agent in self.agents]}


@dataclass(frozen=True, slots=True)
class Provenance:
    """The chain of one object. ``traced`` says whether it traces and why not, ``source`` has its spans with what surrounds
    them, ``files`` the Originals that these are of."""

    id: str
    iri: str
    title: str
    granularity: str
    epistemic_state: str
    text: str
    traced: Traced
    source: SourceView | None
    files: tuple[File, ...]
    activities: tuple[Activity, ...]
    assessments: tuple[Assessment, ...]
    decisions: tuple[Decided, ...]
    evidence: tuple[Evidence, ...]

    def to_json(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("id", "iri", "title", "granularity", "epistemic_state", "text")}
        return {
            **plain,
            "traced": self.traced.to_json(),
            "source": self.source.to_json() if self.source else None,
            "files": [file.to_json() for file in self.files],
            "activities": [activity.to_json() for activity in self.activities],
            "assessments": [one.to_json() for one in self.assessments],
            "decisions": [_decision(one) for one in self.decisions],
            "evidence": [{name: getattr(item, name) for name in Evidence.__slots__} for item in self.evidence],
        }


def provenance(snapshot: Snapshot, identifier: str, *, context: int = CONTEXT) -> Provenance:
    """The chain of the object called ``identifier``.

    :param context: characters shown before and after each span, 0 to 10,000.
    :raises NotFound: if there is no such object, or it may not be seen.
    """
    if not 0 <= context <= 10_000:
        raise UsageError(f"context = {context}", hint="0 to 10000 characters")
    row = resolve(snapshot, identifier)
    facets, reader = snapshot.facets, _Reader(snapshot)
    iri = facets.iris[row]
    tracer = Tracer(snapshot)
    traced = tracer.of(row)
    hashes = dict.fromkeys([*(place.original for place in traced.places), snapshot.original_of(row)])
    return Provenance(
        id=traced.id,
        iri=iri,
        title=facets.titles[row],
        granularity=traced.granularity,
        epistemic_state=facets.column("epistemic_state")[row],
        text=reader.one(iri, OAM + "content"),
        traced=traced,
        source=_source(snapshot, iri, context),
        files=tuple(file for sha256 in hashes if sha256 for file in reader.files(sha256, tracer.state(sha256), row)),
        activities=tuple(reader.activities(row)),
        assessments=history(snapshot, iri).assessments,
        decisions=tuple(reader.decisions(iri)),
        evidence=evidence_of(snapshot, row),
    )


def _source(snapshot: Snapshot, iri: str, context: int) -> SourceView | None:
    """The passage, None where the Original cannot be shown: ``traced`` says why."""
    try:
        return source(snapshot, iri, context)
    except (NotFound, Damaged):
        return None


def _decision(one: Decided) -> dict[str, Any]:
    return {
        "kind": one.kind, "status": one.status.rpartition("/")[2], "verdict": one.verdict, "agent": one.agent,
        "time": one.time, "reason": one.reason, "concept": one.concept.rpartition("/")[2],
        "changed_to": one.changed.rpartition("/")[2],
    }  # fmt: skip


class _Reader:
    """Reads what the graphs of one snapshot say of runs, files and decisions."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.store = snapshot, snapshot.store

    def values(self, subject: str, predicate: str) -> list[str]:
        quads = self.store.quads_for_pattern(NamedNode(subject), NamedNode(predicate), None)
        return sorted({q.object.value for q in quads if isinstance(q.object, Literal | NamedNode)})

    def one(self, subject: str, predicate: str) -> str:
        return next(iter(self.values(subject, predicate)), "")

    def graphs(self, iri: str) -> list[str]:
        """Names of the graphs that describe a node."""
        quads = self.store.quads_for_pattern(NamedNode(iri), None, None)
        return sorted({q.graph_name.value for q in quads if isinstance(q.graph_name, NamedNode)})

    def files(self, sha256: str, state: str, row: int) -> Iterator[File]:
        """The file of an Original: where the object's own document was read from it, that one."""
        facets = self.snapshot.facets
        rows, own = documents_of(self.snapshot, sha256), int(facets.document[row])
        if not rows:
            yield File(sha256, state or MISSING, "", "", "", "", "", "")
            return
        document = facets.iris[own if own in rows else rows[0]]
        base, _, segment = document.rpartition("/doc/")
        graph = f"{base}/graph/{segment}/assertion"
        yield File(
            sha256, state, self.one(graph, OAM + "sourcePath"), self.one(graph, OAM + "ingestRoot"),
            self.one(document, DCTERMS + "format"), self.one(graph, OAM + "profile"),
            self.one(graph, OAM + "committedAt"), self.one(document, DCTERMS + "identifier") or document,
        )  # fmt: skip

    def activities(self, row: int) -> Iterator[Activity]:
        """Runs that wrote what is said of the object, then what its source and its document's tell of."""
        facets = self.snapshot.facets
        iri, document = facets.iris[row], int(facets.document[row])
        seen: set[str] = set()
        for graph in [*self.graphs(iri), *(self.graphs(facets.iris[document]) if document >= 0 else [])]:
            if document_segment(graph) is None or "/inferred" in graph:
                continue
            for run in self.values(graph, PROV + "wasGeneratedBy"):
                if run not in seen:
                    seen.add(run)
                    kind = "annotation" if "/annotation/" in graph else "ingestion"
                    yield self.activity(run, kind, self.one(graph, OAM + "committedAt"), "here")
        for node in dict.fromkeys([iri, *([facets.iris[document]] if document >= 0 else [])]):
            for run in self.values(node, PROV + "wasGeneratedBy"):
                if run not in seen:
                    seen.add(run)
                    yield self.activity(run, "", "", "source")

    def activity(self, run: str, kind: str, time: str, recorded: str) -> Activity:
        said = self.one(run, OAM + "activityKind").removeprefix(SCHEMES["activity-kind"])
        when = next((self.one(run, PROV + name) for name in ("endedAtTime", "startedAtTime")), "")
        version, model = self.one(run, PAV + "version"), self.one(run, OAM + "modelVersion")
        agents = [self.agent(iri, version, model) for iri in self.values(run, PROV + "wasAssociatedWith")]
        return Activity(run, said or kind, when or time, recorded, tuple(agents))

    def agent(self, iri: str, version: str, model: str) -> Agent:
        software = PROV + "SoftwareAgent" in self.values(iri, RDF + "type")
        return Agent(agent_name(self.snapshot, iri), software, version or self.one(iri, PAV + "version"), model)

    def decisions(self, iri: str) -> list[Decided]:
        """What people decided of the object, its tags and the edges from it, oldest first, agents by name."""
        nodes = {q.subject for q in self.store.quads_for_pattern(None, NamedNode(OAM + "reviews"), NamedNode(iri))}
        quads = [quad for node in nodes for quad in self.store.quads_for_pattern(node, None, None)]
        return [replace(one, agent=agent_name(self.snapshot, one.agent)) for one in decided(quads)]
