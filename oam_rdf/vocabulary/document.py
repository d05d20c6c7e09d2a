"""``docs/ontology.md`` from the Turtle: every term, relation, concept, direction, transition and axiom, and a diagram.

The text depends on the Turtle alone, so that a test can tell whether the page in ``docs/`` is current.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import Literal, NamedNode

from oam_rdf.concepts import Concept
from oam_rdf.namespaces import OAM, OWL, RDF, RDFS, SCHEMES, SKOS
from oam_rdf.ontology import Ontology, language
from oam_rdf.resources import ontology_dir
from oam_rdf.vocabulary import competency
from oam_rdf.vocabulary.axioms import axioms, short
from oam_rdf.vocabulary.profile import profile
from oam_rdf.vocabulary.source import Source, index, read

_KINDS = (
    ("Class", "class"),
    ("ObjectProperty", "object property"),
    ("DatatypeProperty", "data property"),
    ("AnnotationProperty", "annotation property"),
)


def document(folder: Path | None = None) -> str:
    """The page as Markdown. :raises ParseError, ConfigError: if the ontology in ``folder`` is damaged."""
    where = folder or ontology_dir()
    return "\n".join(_page(read(where), Ontology.load(where))) + "\n"


def _page(source: Source, ontology: Ontology) -> Iterator[str]:
    triples = source.triples
    listed = axioms(triples)
    beyond = sum(not line.is_taxonomy for line in listed)
    yield "# The ontology"
    yield ""
    yield "<!-- Made by `oam ontology doc` from the Turtle in ontology/. Edit that, then run the command again. -->"
    yield ""
    yield (
        f"{len(ontology.terms)} terms (`oam:` = `{OAM}`), {len(ontology.concepts)} concepts in {len(SCHEMES)} schemes, "
        f"{len({r.iri for r in ontology.relations.values()})} relations, {len(ontology.directions)} directions, "
        f"{len(ontology.transitions)} transitions and {len(listed)} axioms, {beyond} of them beyond the taxonomy. "
        f"Profile: OWL 2 {profile(triples).name}. `oam ontology check` checks all of it."
    )
    yield ""
    yield from _diagram(source, ontology)
    for name in source.files:
        if not name.startswith("schemes/") and name != "oam.ttl":
            yield from _module(source, name)
    yield from _relations(ontology)
    yield from _directions(ontology)
    yield from _schemes(source, ontology)
    yield from _transitions(ontology)
    yield "## Axioms"
    yield ""
    yield f"The taxonomy (subclasses and sub-properties by name) and {beyond} axioms beyond it."
    yield ""
    yield from (f"- {line.text}" for line in listed)
    yield ""
    yield from _questions(source)


def _diagram(source: Source, ontology: Ontology) -> Iterator[str]:
    """Classes under KnowledgeObject, and the properties that join what is stored."""
    yield "```mermaid"
    yield "classDiagram"
    top = OAM + "KnowledgeObject"
    for iri in sorted(ontology.superclasses):
        if iri.startswith(OAM) and top in ontology.superclasses[iri]:
            direct = [
                t.object.value
                for t in source.triples
                if t.subject == NamedNode(iri) and t.predicate.value == RDFS + "subClassOf"
                and isinstance(t.object, NamedNode) and t.object.value.startswith(OAM)
            ]  # fmt: skip
            yield from (f"  {_local(parent)} <|-- {_local(iri)}" for parent in sorted(direct))
    for one, name, other in (
        ("Statement", "prov:wasQuotedFrom", "SourceSpan"),
        ("SourceSpan", "oa:hasSource", "Original"),
        ("Document", "prov:wasDerivedFrom", "Original"),
        ("KnowledgeObject", "relations", "KnowledgeObject"),
        ("KnowledgeObject", "hasEvidence", "EvidenceArtifact"),
        ("KnowledgeObject", "hasEvidence", "ExternalWork"),
        ("KnowledgeObject", "epistemicState", "EpistemicState"),
        ("KnowledgeObject", "hasOperator", "Operator"),
        ("OperatorTag", "oa:hasTarget", "KnowledgeObject"),
        ("EpistemicAssessment", "assesses", "KnowledgeObject"),
        ("Relation", "relationSource, relationTarget", "KnowledgeObject"),
        ("VerificationAttestation", "attests", "KnowledgeObject"),
        ("HistoricalVersion", "versionOf", "KnowledgeObject"),
    ):
        yield f"  {one} --> {other} : {name.replace(':', ' ')}"
    yield "```"
    yield ""


def _module(source: Source, name: str) -> Iterator[str]:
    facts = index(source.files[name])
    iri = source.module(name)
    rows = [
        (kind, node.value, told)
        for node, told in facts.items()
        if isinstance(node, NamedNode) and node.value.startswith(OAM) and SKOS + "definition" in told
        for owl, kind in _KINDS
        if NamedNode(OWL + owl) in told.get(RDF + "type", ())
    ]
    if not rows:
        return
    yield f"## Module `{name.removesuffix('.ttl')}`"
    yield ""
    if iri:
        yield f"`{iri}`: {_text(facts[NamedNode(iri)], 'definition', 'en')}"
        yield ""
    yield "| term | kind | en | zh-Hant | zh-Hans | definition | 定義 |"
    yield "|---|---|---|---|---|---|---|"
    for kind, term, told in sorted(rows, key=lambda row: ([k for _, k in _KINDS].index(row[0]), row[1])):
        labels = " | ".join(_text(told, "prefLabel", tag) for tag in ("en", "zh-Hant", "zh-Hans"))
        english = _text(told, "definition", "en") + _examples(told)
        yield f"| `{short(term)}` | {kind} | {labels} | {english} | {_text(told, 'definition', 'zh-Hant')} |"
    yield ""


def _relations(ontology: Ontology) -> Iterator[str]:
    yield "## Relations"
    yield ""
    yield "| name | other names | under | propagates | en | zh-Hant |"
    yield "|---|---|---|---|---|---|"
    names: dict[str, list[str]] = {}
    for name, relation in ontology.relations.items():
        names.setdefault(relation.iri, []).append(f"{name} (inverse)" if relation.inverse else name)
    for iri, (first, *others) in sorted(names.items(), key=lambda item: item[1][0]):
        relation = ontology.relations[first]
        above = ", ".join(f"`{short(up)}`" for up in sorted(relation.super_properties | relation.external))
        labels = f"{relation.labels['en']} | {relation.labels['zh-Hant']}"
        symmetric = ["symmetric"] if relation.symmetric else []
        yield f"| `{_local(iri)}` {first} | {', '.join([*others, *symmetric])} | {above} | {relation.propagates} | {labels} |"
    yield ""


def _directions(ontology: Ontology) -> Iterator[str]:
    yield "## Directions"
    yield ""
    yield f"{len(ontology.directions)}, {sum(d.canonical for d in ontology.directions.values())} of them the paper's."
    yield ""
    yield "| direction | step | order | en | zh-Hant |"
    yield "|---|---|---|---|---|"
    for name, direction in ontology.directions.items():
        step = _paths(direction.step.to_sparql()).replace("|", "\\|")
        yield f"| `{name}` | {step} | {direction.order} | {direction.labels['en']} | {direction.labels['zh-Hant']} |"
    yield ""


def _paths(step: str) -> str:
    """A SPARQL path with full IRIs as one with prefixes."""
    out = step
    while "<" in out:
        start, end = out.index("<"), out.index(">")
        out = out[:start] + short(out[start + 1 : end]) + out[end + 1 :]
    return f"`{out}`"


def _schemes(source: Source, ontology: Ontology) -> Iterator[str]:
    facts = index(source.triples)
    by_scheme: dict[str, list[Concept]] = {}
    for concept in ontology.concepts.values():
        by_scheme.setdefault(concept.scheme, []).append(concept)
    yield "## Schemes"
    yield ""
    for scheme, space in SCHEMES.items():
        told = facts[NamedNode(space.rstrip("/"))]
        yield f"### {_text(told, 'prefLabel', 'en')} · {_text(told, 'prefLabel', 'zh-Hant')}"
        yield ""
        yield f"`{space}` {_text(told, 'definition', 'en')} {_text(told, 'definition', 'zh-Hant')}"
        yield ""
        yield "| notation | en | zh-Hant | zh-Hans | definition | broader |"
        yield "|---|---|---|---|---|---|"
        for concept in by_scheme[scheme]:
            labels = " | ".join(_cell(concept.labels[tag]) for tag in ("en", "zh-Hant", "zh-Hans"))
            above = ", ".join(sorted(ontology.concepts[up].notation for up in concept.broader))
            english = _cell(concept.definitions["en"]) + _examples(facts[NamedNode(concept.iri)])
            yield f"| `{concept.notation}` | {labels} | {english} | {above} |"
        yield ""


def _transitions(ontology: Ontology) -> Iterator[str]:
    yield "## Transitions of epistemic state"
    yield ""
    yield "What is not listed is not allowed; a state stands for its narrower ones too."
    yield ""
    yield "| from | to | needs evidence | or a relation | outcome | runs | answered for by |"
    yield "|---|---|---|---|---|---|---|"
    for row in ontology.transitions.values():
        evidence, relations = ", ".join(sorted(row.evidence)), ", ".join(sorted(row.relations))
        yield f"| {row.source} | {row.target} | {evidence} | {relations} | {row.outcome} | {row.runs or ''} | {row.agent} |"
    yield ""


def _questions(source: Source) -> Iterator[str]:
    folder = source.folder / "competency"
    yield "## Competency questions"
    yield ""
    for question in competency.questions(folder) if folder.is_dir() else ():
        yield f"- {question.english} {question.chinese} (`{question.name}`)"


def _text(told: dict[str, list[object]], name: str, tag: str) -> str:
    values = (o for o in told.get(SKOS + name, ()) if isinstance(o, Literal))
    return next((_cell(o.value) for o in values if language(o.language or "") == tag), "")


def _examples(told: dict[str, list[object]]) -> str:
    found = sorted(o.value for o in told.get(SKOS + "example", ()) if isinstance(o, Literal))
    return f" *Example:* {_cell('; '.join(found))}" if found else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _local(iri: str) -> str:
    return iri.removeprefix(OAM)


__all__ = ["document"]
