"""From proposals to quads: the annotation graph of one tagger run on one document, and what is said about that graph.

A tag is a candidate and sets nothing: roles, kinds and states are nodes only (``oam:ConceptTag``); operators are
``oam:OperatorTag`` nodes, and those that are reliable (decision D11) also have the short form ``oam:hasOperator``, as
facets with uncertainty have. UNREVIEWED is the default and not written (ontology.md, "Weight").

A sentence that was no object yet is minted in the same graph, with its span and SOURCE_CLAIM, under the id that it would
have had. So the assertion graph stays exactly what the importer wrote, and a run can be replaced or dropped whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.annotate.rules import RELIABLE, Proposal
from oam_rdf.annotate.text import Subject, minted, parent
from oam_rdf.model import VISIBILITIES, KnowledgeObject
from oam_rdf.namespaces import OA, PAV, PROV, concept, encode_id
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import (
    DERIVED,
    GENERATED,
    IDENTIFIER,
    PART_OF,
    QUOTED,
    TYPE,
    DocumentQuads,
    decimal,
    integer,
    n,
    oam,
    text,
)  # fmt: skip
from oam_rdf.store.minter import Minter

_ASSOCIATED = n(PROV + "wasAssociatedWith")


@dataclass(frozen=True, slots=True)
class Tagger:
    """Who tags: the cue rules, or one model. ``version`` changes whenever the same text could get other tags."""

    name: str
    version: str
    model: str = ""

    @property
    def digest(self) -> str:
        """The run: a hash of the rule set's version and the model, so the same rules on the same text are the same run."""
        return hashlib.sha256("\0".join((self.name, self.version, self.model)).encode()).hexdigest()[:16]

    @property
    def short(self) -> str:
        """What the tagger's nodes are called after."""
        return f"model-{hashlib.sha256(self.model.encode()).hexdigest()[:8]}" if self.model else "cue"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A relation that a model proposes (decision D28): a node with verdict pending, never an edge."""

    source: str  # local id
    predicate: str  # IRI
    target: str  # IRI
    confidence: float
    cue: str


class Encoder:
    """Encodes the proposals of one tagger for one document."""

    def __init__(self, minter: Minter, tagger: Tagger, subject: Subject) -> None:
        self.minter, self.tagger, self.subject = minter, tagger, subject
        document = subject.document
        self.by_id = {item.id: item for item in document.objects}
        self.iri = {item.id: self.minter.object(document.id, item) for item in document.objects}
        self.visibility = document.document.visibility or "PUBLIC"
        self.run = n(self.minter.run(self.tagger.digest))
        self.out = DocumentQuads(document.id, self.minter.document(document.id), run=self.run.value)
        self.levels: dict[str, str] = {
            self.minter.graph(document.id, f"annotation/{self.tagger.digest}"): self.visibility
        }
        self.rejected: Set[str] = frozenset()

    def encode(
        self,
        proposals: Sequence[Proposal],
        suggestions: Sequence[Suggestion] = (),
        *,
        held: Set[str] = frozenset(),
        rejected: Set[str] = frozenset(),
    ) -> DocumentQuads:
        """``held`` are statements (local ids) that stay minted because somebody refers to them, ``rejected`` IRIs of tags
        that a person has turned down.
        """
        self.rejected = rejected
        ends = {suggestion.source for suggestion in suggestions}
        ends |= {local for local, iri in self.iri.items() if iri in {suggestion.target for suggestion in suggestions}}
        targets = {proposal.target for proposal in proposals} | ends | held
        fresh = minted(self.subject, targets)
        ids = {item.id for item in fresh}
        for item in fresh:
            self._mint(item, parent(self.subject, item, ids))
        for proposal in proposals:
            self._tag(proposal)
        for suggestion in suggestions:
            self._suggest(suggestion)
        return self.out

    def about(self, committed: Literal | None) -> list[Quad]:
        """What the provenance graph says of the annotation graph: its run, its Original, its visibility.

        ``committed`` is the document's: what is tagged has stood in the Original since then.
        """
        document = self.subject.document
        quads: list[Quad] = []
        for graph, level in sorted(self.levels.items()):
            narrower = level if level != self.visibility else ""
            own, node = n(self.minter.graph(document.id, "provenance", narrower)), n(graph)
            agent = n(self.minter.agent(self.tagger.name))
            quads += [
                Quad(node, GENERATED, self.run, own),
                Quad(node, DERIVED, n(self.minter.original(document.sha256)), own),
                Quad(self.run, TYPE, n(PROV + "Activity"), own),
                Quad(self.run, _ASSOCIATED, agent, own),
                Quad(self.run, n(PAV + "version"), text(self.tagger.version), own),
                Quad(agent, TYPE, n(PROV + "SoftwareAgent"), own),
            ]
            if committed is not None:
                quads.append(Quad(node, oam("committedAt"), committed, own))
            if self.tagger.model:
                quads.append(Quad(self.run, oam("modelVersion"), text(self.tagger.model), own))
            if level != "PUBLIC":
                quads += [
                    Quad(hidden, oam("visibility"), n(concept("visibility", level)), own) for hidden in (node, own)
                ]
        return quads

    def _graph(self, item: KnowledgeObject | None) -> str:
        """A tag on an object more restricted than its document is as restricted as the object."""
        own = (item.visibility if item else "") or self.visibility
        narrower = VISIBILITIES.index(own) > VISIBILITIES.index(self.visibility)
        level = own if narrower else self.visibility
        name = self.minter.graph(self.subject.document.id, f"annotation/{self.tagger.digest}", own if narrower else "")
        self.levels[name] = level
        return name

    def _mint(self, item: KnowledgeObject, above: str) -> None:
        graph, subject, document = self._graph(item), n(self.iri[item.id]), self.subject.document
        add = self.out.add
        self.out.places[subject.value] = item.line
        add(graph, subject, TYPE, oam("Statement"))
        add(graph, subject, IDENTIFIER, text(item.id if item.global_id else f"{document.id}#{item.id}"))
        add(graph, subject, PART_OF, n(self.iri[above]))
        add(graph, subject, oam("content"), text(item.content, item.language or document.language))
        add(graph, subject, GENERATED, self.run)
        add(graph, subject, oam("epistemicState"), n(concept("epistemic-state", "SOURCE_CLAIM")))
        for number, span in enumerate(item.spans, 1):
            node = n(self.minter.dependent(subject.value, "span" if number == 1 else f"span{number}"))
            add(graph, subject, QUOTED, node)
            add(graph, node, TYPE, oam("SourceSpan"))
            add(graph, node, n(OA + "hasSource"), n(self.minter.original(document.sha256)))
            add(graph, node, n(OA + "start"), integer(span.start))
            add(graph, node, n(OA + "end"), integer(span.end))

    def _node(self, target: str, *says: str) -> NamedNode:
        """A tag node: a fragment of what it is about, named by the tagger and by what it says, never by its run or
        place, so that a person's decision about it still means the same tag after another run.
        """
        name = "-".join((self.tagger.short, *(encode_id(word) for word in says if word)))
        return n(self.minter.dependent(target, name))

    def _tag(self, proposal: Proposal) -> None:
        item = self.by_id.get(proposal.target)
        target = self.iri.get(proposal.target, proposal.target)
        graph, body = self._graph(item), n(concept(proposal.scheme, proposal.notation))
        node = self._node(target, proposal.scheme, proposal.notation, proposal.source_label)
        add = self.out.add
        operator = proposal.scheme == "operator"
        add(graph, node, TYPE, oam("OperatorTag" if operator else "ConceptTag"))
        add(graph, node, n(OA + "hasTarget"), n(target))
        add(graph, node, n(OA + "hasBody"), body)
        add(graph, node, n(OA + "motivatedBy"), n(OA + "classifying"))
        add(graph, node, GENERATED, self.run)
        add(graph, node, oam("confidence"), decimal(proposal.confidence))
        add(graph, node, oam("annotator"), text(self.tagger.name))
        for name, word in (
            ("rule", proposal.rule),
            ("cue", proposal.cue),
            ("sourceLabel", proposal.source_label),
            ("modelVersion", self.tagger.model),
        ):
            if word:
                add(graph, node, oam(name), text(word))
        if operator and item is not None and proposal.confidence >= RELIABLE and node.value not in self.rejected:
            add(graph, n(target), oam("hasOperator"), body)

    def _suggest(self, suggestion: Suggestion) -> None:
        item = self.by_id[suggestion.source]
        graph, source, add = self._graph(item), self.iri[suggestion.source], self.out.add
        mark = hashlib.sha256(f"{suggestion.predicate} {suggestion.target}".encode()).hexdigest()[:8]
        node = self._node(source, "relation", mark)
        add(graph, node, TYPE, oam("Relation"))
        add(graph, node, oam("relationSource"), n(source))
        add(graph, node, oam("relationType"), n(suggestion.predicate))
        add(graph, node, oam("relationTarget"), n(suggestion.target))
        add(graph, node, oam("verdict"), n(concept("verdict", "pending")))
        add(graph, node, oam("confidence"), decimal(suggestion.confidence))
        add(graph, node, oam("cue"), text(suggestion.cue))
        add(graph, node, GENERATED, self.run)


def label(scheme: str, notation: str) -> str:
    """A concept as people name it in a report: ``role COUNTEREXAMPLE (counterexample)``."""
    return f"{scheme} {notation} ({Ontology.load().label(scheme, notation)})"
