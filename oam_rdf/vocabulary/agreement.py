"""Both-ways agreement of the Turtle with the Python that reads it: namespaces, schemes, prefixes, terms, model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pyoxigraph import NamedNode

import oam_rdf
from oam_rdf import model
from oam_rdf.namespaces import OAM, OWL, PREFIXES, SCHEMES, SKOS
from oam_rdf.ontology import Ontology
from oam_rdf.vocabulary.source import Source, of_type

_PREFIX = re.compile(r"^(?:@prefix|PREFIX)\s+([\w-]*):\s+<([^>]+)>", re.MULTILINE)
_USED = re.compile(r"""(?<![\w:])oam:(\w+)|\bOAM \+ "(\w+)"|\boam\("(\w+)"\)""")
_TERMS = (OWL + "Class", OWL + "ObjectProperty", OWL + "DatatypeProperty", OWL + "AnnotationProperty")


def schemes(source: Source, ontology: Ontology) -> Iterator[str]:
    """Schemes that only one side has, and schemes without a concept."""
    declared = of_type(source.triples, SKOS + "ConceptScheme")
    named = {space.rstrip("/") for space in SCHEMES.values()}
    yield from (f"{iri} is declared in Turtle and missing from namespaces.SCHEMES" for iri in sorted(declared - named))
    yield from (f"{iri} is in namespaces.SCHEMES and not declared in Turtle" for iri in sorted(named - declared))
    yield from (f"the scheme {name} has no concept" for name in sorted(SCHEMES) if not ontology.notations(name))


def prefixes(source: Source, *folders: Path) -> tuple[int, list[str]]:
    """How many prefix lines of the Turtle and SPARQL files were compared, and those that bind a name otherwise."""
    seen, wrong = 0, []
    for folder in (source.folder, *folders):
        for file in sorted(path for path in folder.rglob("*") if path.suffix in (".ttl", ".trig", ".rq")):
            for name, iri in _PREFIX.findall(file.read_text(encoding="utf-8")):
                seen += 1
                if PREFIXES.get(name, iri) != iri:
                    wrong.append(f"{file.name} binds {name}: to {iri}, namespaces.PREFIXES to {PREFIXES[name]}")
    return seen, wrong


def terms(source: Source, ontology: Ontology, *folders: Path) -> tuple[int, list[str]]:
    """How many terms the program, shapes and Turtle use, and those that are declared nowhere."""
    package = Path(oam_rdf.__file__).parent
    files = [*package.rglob("*.py"), *(f for folder in folders for f in folder.rglob("*") if f.suffix in (".ttl", ".rq"))]
    used: dict[str, str] = {}
    for file in sorted(files):
        for groups in _USED.findall(file.read_text(encoding="utf-8")):
            used.setdefault("".join(groups), file.name)
    for triple in source.triples:
        for part in (triple.predicate, triple.object):
            if isinstance(part, NamedNode) and part.value.startswith(OAM):
                used.setdefault(part.value.removeprefix(OAM), "the ontology itself")
    # Prose and examples may name a misspelling on purpose; they write it with a capital inside the word.
    wrong = [
        f"oam:{name} is used in {where} and declared nowhere"
        for name, where in sorted(used.items())
        if OAM + name not in ontology.terms and name != "KnowlegdeObject"
    ]
    return len(used), wrong


def python_model(ontology: Ontology) -> tuple[int, list[str]]:
    """How many names of the Python model were compared with their scheme, and where the two differ."""
    wrong = []
    if ontology.ordered("visibility") != model.VISIBILITIES:
        wrong.append(f"visibility: Turtle has {ontology.ordered('visibility')}, model.py {model.VISIBILITIES}")
    granularities = (model.DOCUMENT, model.SECTION, model.ARGUMENT, model.STATEMENT)
    if ontology.ordered("granularity")[:4] != granularities:
        wrong.append(f"granularity: Turtle has {ontology.ordered('granularity')}, model.py {granularities}")
    for row in ontology.transitions.values():
        for scheme, names in (
            ("epistemic-state", {row.source, row.target}),
            ("evidence-kind", row.evidence),
            ("outcome", {row.outcome} - {""}),
            ("agent-role", {row.agent} - {""}),
        ):
            unknown = set(names) - ontology.notations(scheme)
            wrong += [f"transition {row.source} → {row.target}: no {scheme} {name}" for name in sorted(unknown)]
    return len(model.VISIBILITIES) + len(granularities) + len(ontology.transitions), wrong


def dangling(source: Source, ontology: Ontology) -> tuple[int, list[str]]:
    """How many references to concepts the Turtle makes, and those to a concept that is not there."""
    spaces = tuple(SCHEMES.values())
    seen, wrong = 0, set()
    for triple in source.triples:
        if isinstance(triple.object, NamedNode) and triple.object.value.startswith(spaces):
            seen += 1
            if triple.object.value not in ontology.concepts:
                wrong.add(f"{triple.subject} refers to {triple.object}, which is no concept")
    classed = of_type(source.triples, SKOS + "Concept")
    wrong |= {f"{iri} is used as a concept and not typed" for iri in ontology.concepts if iri not in classed}
    untyped = {
        str(t.subject)
        for t in source.triples
        if t.predicate.value == SKOS + "inScheme" and isinstance(t.subject, NamedNode) and t.subject.value not in classed
    }
    return seen, sorted(wrong | {f"{iri} is in a scheme and not a skos:Concept" for iri in untyped})


def declared_terms(source: Source) -> set[str]:
    """IRIs of this vocabulary's classes and properties, from the Turtle alone."""
    return {iri for iri in of_type(source.triples, *_TERMS) if iri.startswith(OAM)}


__all__ = ["dangling", "declared_terms", "prefixes", "python_model", "schemes", "terms"]
