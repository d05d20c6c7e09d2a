"""What of a document can be tagged, and what the cue rules propose for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from oam_rdf.annotate.rules import RELIABLE, Proposal, RuleSet, best
from oam_rdf.model import DOCUMENT, SECTION, KnowledgeObject, ParsedDocument
from oam_rdf.ontology import Ontology

_SHORTEST, _LONGEST = 6, 700  # characters of a sentence whose words say something about it


@dataclass(frozen=True, slots=True)
class Subject:
    """A stored document with its text cut into every statement it has or could have.

    ``stored`` are the local ids of the objects that are in the store already; ``nodes`` are its accepted relation nodes,
    IRI → IRI of the relation property.
    """

    document: ParsedDocument
    stored: frozenset[str]
    nodes: Mapping[str, str]

    def objects(self) -> Iterator[KnowledgeObject]:
        """Documents, sections and statements; an argument only where it is an object already."""
        for item in self.document.objects:
            if item.id in self.stored or item.granularity == "STATEMENT":
                yield item


def propose(rules: RuleSet, subject: Subject) -> list[Proposal]:
    """All that the rules propose for a document and its parts, without what its author has said; sorted."""
    return settled(subject, _all(rules, subject))


def settled(subject: Subject, proposals: Iterable[Proposal]) -> list[Proposal]:
    """One proposal for each object and concept, nothing that was said already, and no more than the text can carry:
    a sentence that is not an object yet becomes one only for a reliable tag, so a suggestion alone is left out.
    """
    items = {item.id: item for item in subject.document.objects}
    kept = best(proposal for proposal in proposals if not _said(items.get(proposal.target), proposal))
    reliable = {proposal.target for proposal in kept if proposal.confidence >= RELIABLE}
    known = subject.stored | subject.nodes.keys() | reliable
    return [proposal for proposal in kept if proposal.target in known]


def minted(subject: Subject, targets: Set[str]) -> list[KnowledgeObject]:
    """Those statements among ``targets`` that are not objects yet, in order of appearance."""
    return [item for item in subject.document.objects if item.id in targets and item.id not in subject.stored]


def parent(subject: Subject, item: KnowledgeObject, minted_ids: Set[str]) -> str:
    """The nearest part of the document above ``item`` that is, or becomes, an object ("" = the document)."""
    by_id = {other.id: other for other in subject.document.objects}
    above = item.parent
    while above and above not in subject.stored and above not in minted_ids:
        above = by_id[above].parent if above in by_id else ""
    return above


def own_text(item: KnowledgeObject) -> int:
    """Offset in a statement's content where its own words begin: after a list's lead-in, but a formula needs its own."""
    if len(item.spans) < 2:
        return 0
    last = item.spans[-1]
    start = len(item.content) - (last.end - last.start)
    return 0 if item.content.startswith(("$$", "\\["), start) else start


def is_prose(text: str) -> bool:
    """Whether cues may be read in it: not a table row, a formula, a code block or a fragment."""
    body = text.strip()
    if not _SHORTEST <= len(body) <= _LONGEST or body.startswith(("|", "$$", "```", "~~~", "<")):
        return False
    return sum(character.isalpha() for character in body) * 2 >= len(body)


def _said(item: KnowledgeObject | None, proposal: Proposal) -> bool:
    """Whether the author has said it, or has said something else of the same axis, which a cue cannot overrule."""
    if item is None:
        return False
    if proposal.scheme == "statement-kind":
        return bool(item.kind)
    if proposal.scheme == "epistemic-state":
        return bool(item.state)
    if proposal.scheme == "role":
        return proposal.notation in item.roles
    return proposal.notation in {tag.notation for tag in item.operators}


def _all(rules: RuleSet, subject: Subject) -> Iterator[Proposal]:
    document, ontology = subject.document, Ontology.load()
    for item in subject.objects():
        if item.granularity in (DOCUMENT, SECTION):
            yield from rules.heading(item.id, item.title)
        elif is_prose(item.content):
            yield from rules.sentence(item.id, item.content, own_text(item))
        if item.kind and not item.state:
            yield from rules.of_kind(item.id, item.kind)
    for relation in document.relations:
        kind = ontology.relations.get(relation.type)
        if kind is not None and not kind.inverse and relation.verdict == "ok":
            yield from rules.of_relation(relation.source, kind.iri)
    for node, predicate in subject.nodes.items():
        yield from rules.of_relation(node, predicate)
