"""Turtle for people: what belongs together stands together, titles above, prefixes that are used and no others.

Terms are written by Oxigraph, block by block; this module only decides the order and writes the comments. (The printers
of rdflib order subjects by IRI, so that a span stands before its statement and a relation node pages away from it; they
write no comments, and spell out every IRI with a fragment.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.store.belonging import owners
from oam_rdf.store.sparql_language import restore_case

_TYPE, _KIND = RDF + "type", OAM + "statementKind"
_TITLE, _IDENTIFIER, _START = DCTERMS + "title", DCTERMS + "identifier", OA + "start"
_QUOTED = PROV + "wasQuotedFrom"

_GROUPS = (
    "Documents",
    "Sections",
    "Concepts and terms",
    "Definitions",
    "Axioms",
    "Theorems",
    "Arguments",
    "Statements",
    "Evidence",
    "Cited works",
    "Other objects",
    "Relations",
    "Spans and tags",
    "Originals and provenance",
)
# Class -> group, the narrowest first; a subclass of the ontology goes where its nearest superclass goes.
_CLASSES = {
    "Document": "Documents", "Section": "Sections", "Concept": "Concepts and terms", "Term": "Concepts and terms",
    "Symbol": "Concepts and terms", "Model": "Concepts and terms", "Primitive": "Concepts and terms",
    "Definition": "Definitions", "Axiom": "Axioms", "Theorem": "Theorems", "Argument": "Arguments",
    "Relation": "Relations", "SourceSpan": "Spans and tags", "OperatorTag": "Spans and tags",
    "ConceptTag": "Spans and tags", "EpistemicAssessment": "Spans and tags", "EvidenceArtifact": "Evidence",
    "ExternalWork": "Cited works", "Original": "Originals and provenance", "Statement": "Statements",
    "KnowledgeObject": "Other objects",
}  # fmt: skip
_KINDS = {"DEFINITION": "Definitions", "AXIOM": "Axioms", "THEOREM": "Theorems", "LEMMA": "Theorems"}
# What a reader wants to know first of an object; everything else follows by IRI.
_FIRST = [
    _TYPE, _IDENTIFIER, _TITLE, OAM + "authorId", OAM + "alias", DCTERMS + "language", DCTERMS + "isPartOf",
    OAM + "content", OAM + "formula", _KIND, OAM + "hasRole", OAM + "epistemicState", OAM + "verification",
    OAM + "versionStatus", OAM + "sourceStatus", PAV + "version", OAM + "validFrom", OAM + "deprecatedAt",
    OAM + "hasOperator", OAM + "relationSource", OAM + "relationType", OAM + "relationTarget", OAM + "targetLabel",
    OAM + "verdict", OA + "hasTarget", OA + "hasBody", OA + "hasSource", OA + "start", OA + "end",
]  # fmt: skip
_RANK = {predicate: rank for rank, predicate in enumerate(_FIRST)}
_LAST = len(_FIRST)


class Layout:
    """``triples`` (each once) as Turtle. Blocks: one subject each; groups in the order of ``_GROUPS``.

    Inside a group objects stand in reading order (document, place of the first span, id). Under each stand its dependent
    nodes; the relation nodes of a document have a group of their own, for they are about the document as a whole.
    """

    def __init__(self, triples: Sequence[Triple], prefixes: Mapping[str, str], ontology: Ontology) -> None:
        self.prefixes = dict(prefixes)
        self.ontology = ontology
        self.edges = {relation.iri for relation in ontology.relations.values()}
        self.facts: dict[str, list[Triple]] = {}
        for triple in triples:
            # Stored graphs hold no blank nodes, and quoted triples are no subjects of ours.
            self.facts.setdefault(triple.subject.value, []).append(triple)  # type: ignore[union-attr]
        self.owner = owners(triples)
        self.group = {subject: self._group(subject) for subject in self.facts}
        self.below: dict[str, list[str]] = {}
        for node, owner in self.owner.items():
            if self.group[node] == "Relations" and self.group[owner] == "Documents":
                continue
            self.below.setdefault(owner, []).append(node)
        self.nested = {node for nodes in self.below.values() for node in nodes}

    def text(self) -> bytes:
        """UTF-8 Turtle."""
        head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in sorted(self.prefixes.items()))
        parts = [head.encode()] if head else []
        members: dict[str, list[str]] = {name: [] for name in _GROUPS}
        for subject in self.facts:
            if subject not in self.nested:
                members[self.group[subject]].append(subject)
        written: set[str] = set()
        for name in _GROUPS:
            if members[name]:
                parts.append(f"\n# {name}\n# {'-' * len(name)}\n".encode())
                for subject in sorted(members[name], key=self._place):
                    parts += self._block(subject, written)
        # Nodes that own each other in a ring hang below nothing.
        for subject in sorted(self.facts.keys() - written):
            parts += self._block(subject, written)
        return restore_case(b"".join(parts), "turtle")

    def _block(self, subject: str, written: set[str]) -> Iterator[bytes]:
        if subject in written:
            return
        written.add(subject)
        title = self._comment(subject)
        yield b"\n" + (f"# {title}\n".encode() if title else b"")
        yield self._turtle(subject)
        todo = sorted(self.below.get(subject, ()), key=self._dependent, reverse=True)
        while todo:
            node = todo.pop()
            if node not in written:
                written.add(node)
                yield self._turtle(node)
                todo += sorted(self.below.get(node, ()), key=self._dependent, reverse=True)

    def _turtle(self, subject: str) -> bytes:
        facts = sorted(
            self.facts[subject], key=lambda t: (_RANK.get(t.predicate.value, _LAST), t.predicate.value, _key(t))
        )
        body = serialize(iter(facts), format=RdfFormat.TURTLE, prefixes=self.prefixes) or b""
        # The serialiser writes the prefixes before each block, one line each: ours stand at the top.
        return body.split(b"\n", len(self.prefixes))[-1]

    def _comment(self, subject: str) -> str:
        """Title, else id, of an object; nothing for what has neither. White space is folded: a title is one line."""
        values = {name: self._values(subject, name) for name in (_TITLE, _IDENTIFIER)}
        shown = values[_TITLE] or values[_IDENTIFIER]
        return " · ".join(text for value in shown if (text := " ".join(value.split()))) if shown else ""

    def _group(self, subject: str) -> str:
        types = {
            value.removeprefix(OAM)
            for kind in self._values(subject, _TYPE)
            for value in (kind, *self.ontology.superclasses.get(kind, ()))
        }
        found = next((group for name, group in _CLASSES.items() if name in types), "")
        if found == "Statements":
            kinds = {value.removeprefix(SCHEMES["statement-kind"]) for value in self._values(subject, _KIND)}
            found = next((group for kind, group in _KINDS.items() if kind in kinds), found)
        if found or self._values(subject, _IDENTIFIER):
            return found or "Other objects"
        # An edge of what is not described here.
        edges = all(triple.predicate.value in self.edges for triple in self.facts[subject])
        return "Relations" if edges else "Originals and provenance"

    def _place(self, subject: str) -> tuple[str, int, str]:
        """Document, first character, IRI."""
        starts = [
            int(value)
            for span in self._values(subject, _QUOTED)
            for value in self._values(span, _START)
            if value.isdecimal()
        ]
        return subject.partition("#")[0], min(starts, default=-1 if "#" not in subject else 1 << 60), subject

    def _dependent(self, node: str) -> tuple[int, int, str]:
        """Spans first, then what was judged and tagged, then relations; numbered nodes by number."""
        order = ("Spans and tags", "Evidence", "Cited works", "Relations")
        group = self.group[node]
        digits = node.rstrip("0123456789")
        number = int(node[len(digits) :][:9] or 0)
        span = 0 if OAM + "SourceSpan" in self._values(node, _TYPE) else 1
        return span + (order.index(group) if group in order else len(order)), number if span else 0, node

    def _values(self, subject: str, predicate: str) -> list[str]:
        return [t.object.value for t in self.facts.get(subject, ()) if t.predicate.value == predicate]  # type: ignore[union-attr]


def _key(triple: Triple) -> tuple[str, int, str]:
    """Values in order of their IRIs and texts; numbers by size where they are whole."""
    value = triple.object
    if isinstance(value, Literal) and value.value.isdecimal() and len(value.value) < 10:
        return "", int(value.value), str(value)
    return (value.value if isinstance(value, NamedNode | Literal) else str(value)), 0, str(value)
