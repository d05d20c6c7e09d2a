"""Annotation graphs on their way into the live store: what stands there, what replaces it, and the gate before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.annotate.quads import Encoder, Suggestion, Tagger
from oam_rdf.annotate.rules import Proposal
from oam_rdf.annotate.text import Subject
from oam_rdf.ingest.catalogue import StoredFile
from oam_rdf.ingest.gate import Gate
from oam_rdf.model import VISIBILITIES, Issue
from oam_rdf.namespaces import OAM, PROV, concept
from oam_rdf.store.codec import GENERATED, TYPE, n, oam
from oam_rdf.store.live import LiveStore, Replacement
from oam_rdf.store.minter import Minter
from oam_rdf.store.review import Decisions, with_states
from oam_rdf.store.shacl import Validator

_ASSOCIATED = n(PROV + "wasAssociatedWith")
_CLASSES = {OAM + name for name in ("Document", "Section", "Argument", "Statement")}
_UNACCEPTED = {concept("verdict", verdict) for verdict in ("weak", "wrong", "pending")}
_REJECTED = concept("review-status", "REJECTED")


@dataclass(frozen=True, slots=True)
class Stored:
    """What the live store holds of one document, by kind of graph."""

    assertion: list[Quad]
    annotation: list[Quad]
    assessment: list[Quad]
    provenance: list[Quad]

    @staticmethod
    def of(live: LiveStore, minter: Minter, file: StoredFile) -> Stored:
        def quads(*names: str) -> list[Quad]:
            return [q for name in names for q in live.store.quads_for_pattern(None, None, None, n(name))]

        def graphs(name: str) -> list[str]:
            return [minter.graph(file.id, name, "" if level == "PUBLIC" else level) for level in VISIBILITIES]

        # Names are computed, not searched: a knowledge base has several graphs for each of its documents.
        provenance = quads(*graphs("provenance"))
        runs = sorted({_iri(q.subject) for q in provenance if q.predicate == GENERATED})
        tagged = [graph for graph in runs if "/annotation/" in graph]
        return Stored(
            quads(*graphs("assertion")),
            quads(*tagged, *graphs("annotation/import")),
            quads(*graphs("assessment")),
            provenance,
        )

    @property
    def objects(self) -> frozenset[str]:
        """IRIs of the importer's knowledge objects; minted ones are not among them."""
        return frozenset(_iri(q.subject) for q in self.assertion if q.predicate == TYPE and _iri(q.object) in _CLASSES)

    @property
    def nodes(self) -> Mapping[str, str]:
        """Relation nodes that are not turned down → their relation."""
        bad = {
            _iri(q.subject) for q in self.assertion if q.predicate == oam("verdict") and _iri(q.object) in _UNACCEPTED
        }
        pairs = {_iri(q.subject): _iri(q.object) for q in self.assertion if q.predicate == oam("relationType")}
        return {node: pairs[node] for node in sorted(pairs) if node not in bad}

    def runs(self) -> dict[str, str]:
        """Annotation graph → run."""
        made = {_iri(q.subject): _iri(q.object) for q in self.provenance if q.predicate == GENERATED}
        return {graph: run for graph, run in made.items() if "/annotation/" in graph}

    def tagged_by(self, tagger: Tagger) -> bool:
        """Whether this very run has tagged the document as it stands: a new version drops the row with the graph."""
        return any(run.endswith("/" + tagger.digest) for run in self.runs().values())

    def by_same(self, tagger: Tagger, minter: Minter) -> set[str]:
        """Annotation graphs of this tagger's runs, whatever their version."""
        agent = n(minter.agent(tagger.name))
        runs = {_iri(q.subject) for q in self.provenance if q.predicate == _ASSOCIATED and q.object == agent}
        return {graph for graph, run in self.runs().items() if run in runs}


@dataclass(slots=True)
class LandingTags:
    """One document's annotation graphs, encoded and checked. ``refused`` = a shape was violated."""

    stored: StoredFile
    drop: set[str]
    quads: list[Quad]
    about: list[Quad]
    minted: int
    issues: list[Issue] = field(default_factory=list)

    @property
    def refused(self) -> bool:
        return any(issue.severity == "error" for issue in self.issues)


@dataclass(slots=True)
class Lander:
    """Encodes, checks and turns into replacements; opened by the holder of the write lock."""

    live: LiveStore
    minter: Minter
    validator: Validator

    def encode(
        self,
        file: StoredFile,
        tagger: Tagger,
        subject: Subject,
        proposals: Sequence[Proposal],
        suggestions: Sequence[Suggestion],
    ) -> LandingTags:
        """The graphs of one tagger for one document, past the gate."""
        stored = Stored.of(self.live, self.minter, file)
        drop = stored.by_same(tagger, self.minter)
        encoder = Encoder(self.minter, tagger, subject)
        elsewhere = [q for q in stored.annotation if _iri(q.graph_name) not in drop]
        states = {_iri(q.subject) for q in stored.assessment if q.predicate == oam("epistemicState")}
        rejected = {
            _iri(q.subject)
            for q in (*stored.assessment, *elsewhere)
            if q.predicate == oam("reviewStatus") and _iri(q.object) == _REJECTED
        }
        held = self._held(stored, drop, encoder.iri)
        out = encoder.encode(proposals, suggestions, held=held, rejected=rejected)
        committed = next((q.object for q in stored.provenance if _says(q, file.graph, "committedAt")), None)
        # The gate looks at every statement with a state; one that stands in an assessment graph is not said twice.
        fresh = [q for q in out.quads() if not (q.predicate == oam("epistemicState") and _iri(q.subject) in states)]
        quads = Decisions.of(stored.assessment).applied(with_states(fresh, stored.assessment))
        gate = Gate(self.validator, self.live, {}, {}, frozenset(drop))
        issues = gate.check(out, file.path) if quads else []
        minted = sum(q.predicate == TYPE and q.object == oam("Statement") for q in quads)
        about = encoder.about(committed if isinstance(committed, Literal) else None)
        return LandingTags(file, drop, quads, about, minted, issues)

    def batches(self, landings: Sequence[LandingTags]) -> Iterator[list[Replacement]]:
        """Replacements for commits: two taggers of one document, which rewrite the same provenance, never in one."""
        waiting = list(landings)
        while waiting:
            batch: dict[str, LandingTags] = {}
            later = []
            for landing in waiting:
                if landing.stored.id in batch:
                    later.append(landing)
                else:
                    batch[landing.stored.id] = landing
            yield [self._replacement(landing) for landing in batch.values()]
            waiting = later

    def _replacement(self, landing: LandingTags) -> Replacement:
        """Annotation graphs are replaced whole; the provenance graphs are rewritten with the rows about them changed."""
        stored = Stored.of(self.live, self.minter, landing.stored)
        runs = stored.runs()
        gone = {runs[graph] for graph in landing.drop if graph in runs} - {
            run for graph, run in runs.items() if graph not in landing.drop
        }
        kept = [
            q
            for q in stored.provenance
            if _iri(q.subject) not in landing.drop | gone and q.predicate != oam("atRevision")
        ]
        provenance = {_iri(q.graph_name) for q in (*stored.provenance, *landing.about)}
        new = {_iri(q.graph_name) for q in landing.quads}
        quads = list(dict.fromkeys([*landing.quads, *kept, *landing.about]))
        return Replacement(
            tuple(sorted(landing.drop | provenance | new)), quads, landing.stored.graph, landing.stored.provenance
        )

    def _held(self, stored: Stored, drop: set[str], iris: Mapping[str, str]) -> set[str]:
        """Minted statements that something outside the replaced graphs is about: they stay, tag or no tag."""
        old = {_iri(q.subject) for q in stored.annotation if _iri(q.graph_name) in drop and q.predicate == TYPE}
        local = {iri: name for name, iri in iris.items()}
        held = set()
        for iri in old & local.keys():
            node = n(iri)
            about = [
                *self.live.store.quads_for_pattern(node, None, None, None),
                *self.live.store.quads_for_pattern(None, None, node, None),
            ]
            if any("/annotation/" not in _iri(q.graph_name) for q in about):
                held.add(local[iri])
        return held


def _says(quad: Quad, subject: str, name: str) -> bool:
    return _iri(quad.subject) == subject and quad.predicate == oam(name)


def _iri(term: object) -> str:
    return term.value if isinstance(term, NamedNode) else ""
