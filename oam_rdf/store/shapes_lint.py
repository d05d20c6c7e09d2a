"""Finds what a validator passes over in silence: misspelt terms, targets that nothing can be, undeclared prefixes.

Both engines call a graph conformant when ``sh:mincount`` (hazard 51) or ``sh:targetClass oam:KnowlegdeObject``
(hazard 50) stands in the shapes. This reads the shapes graph itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from pyoxigraph import Literal, NamedNode, Store

from oam_rdf.namespaces import OAM, PREFIXES, SH
from oam_rdf.ontology import Ontology
from oam_rdf.store.shapes import Shapes

# The terms of SHACL Core and SHACL-SPARQL that a shapes graph may use (W3C Recommendation, 2017).
_TERMS = frozenset(
    re.findall(
        r"\w+",
        """
    NodeShape PropertyShape SPARQLConstraint PrefixDeclaration IRI BlankNode Literal BlankNodeOrIRI
    BlankNodeOrLiteral IRIOrLiteral Violation Warning Info targetClass targetNode targetObjectsOf
    targetSubjectsOf property path inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath
    class datatype nodeKind minCount maxCount minExclusive minInclusive maxExclusive maxInclusive minLength
    maxLength pattern flags languageIn uniqueLang equals disjoint lessThan lessThanOrEquals not and or xone
    node qualifiedValueShape qualifiedValueShapesDisjoint qualifiedMinCount qualifiedMaxCount closed
    ignoredProperties hasValue in message severity deactivated name description order group defaultValue
    sparql select ask prefixes declare prefix namespace
    """,
    )
)
# The standard forbids these where $this is pre-bound; SERVICE would reach out of the process.
_FORBIDDEN = ("MINUS", "VALUES", "SERVICE")
_HIDDEN_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|<[^<>"{}|^`\\\s]*>|#[^\n]*')
_PREFIXED = re.compile(r"(?<![\w?$:.-])((?:[A-Za-z][\w.-]*)?):(?=\w)")
_OWN_PREFIX = re.compile(r"\bPREFIX\s+([\w.-]*):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """``code``: unknown-term, unknown-class, unlabelled, forbidden-sparql, undeclared-prefix, broken-sparql; ``shape``:
    where it is."""

    code: str
    shape: str
    message: str


def lint(folder: FilePath | None = None) -> tuple[LintFinding, ...]:
    """What is wrong with the shapes in ``folder`` (default: those that ship) that no engine would say."""
    shapes = Shapes.load(folder)
    return lint_shapes(shapes, style=True)


def lint_shapes(shapes: Shapes, *, style: bool = False) -> tuple[LintFinding, ...]:
    """The same of shapes at hand; ``style`` adds what we ask of our own: a name, messages in two languages, a severity."""
    found = [*_terms(shapes), *_classes(shapes), *_queries(shapes), *(_labels(shapes) if style else ())]
    return tuple(sorted(set(found), key=lambda f: (f.shape, f.code, f.message)))


def _known(iri: str, ontology: Ontology) -> bool:
    if iri.startswith(SH):
        return iri.removeprefix(SH) in _TERMS
    if iri.startswith(OAM):
        return iri in ontology.terms
    concept_space = next((PREFIXES[p] for p in PREFIXES if iri.startswith(PREFIXES[p])), "")
    return iri in ontology.concepts if "w3id.org/oam/" in concept_space else True


def _terms(shapes: Shapes) -> Iterator[LintFinding]:
    ontology = shapes.ontology or Ontology.load()
    for node, facts in shapes.facts.items():
        for predicate, values in facts.items():
            for iri in (predicate, *(o.value for o in values if isinstance(o, NamedNode))):
                if not _known(iri, ontology):
                    yield LintFinding("unknown-term", _name(node), f"{iri} is not a term of SHACL or of the ontology")


def _classes(shapes: Shapes) -> Iterator[LintFinding]:
    namespaces = tuple(PREFIXES.values())
    classes = (shapes.ontology or Ontology.load()).superclasses
    for node in shapes.facts:
        for predicate in ("targetClass", "class"):
            for target in shapes.lookup(node, SH + predicate):
                iri = target.value if isinstance(target, NamedNode) else str(target)
                if iri.startswith(OAM) and iri not in classes:
                    yield LintFinding("unknown-class", _name(node), f"sh:{predicate} {iri} is no class of the ontology")
                elif not iri.startswith(namespaces):
                    yield LintFinding("unknown-class", _name(node), f"sh:{predicate} {iri} has an unknown namespace")


def _labels(shapes: Shapes) -> Iterator[LintFinding]:
    """A shape that can report has an IRI, messages in en and zh-Hant, and a severity."""
    reporting: set[object] = set()
    for shape in shapes.targeted:
        target = NamedNode(shape)
        reporting.update(shapes.lookup(target, SH + "property"))
        if shapes.facts[target].keys() & {
            SH + name for name in ("or", "not", "sparql", "nodeKind", "pattern", "node", "class")
        }:
            reporting.add(target)
    for node in reporting:
        if not isinstance(node, NamedNode):
            yield LintFinding("unlabelled", _name(node), "a shape that can report has no IRI")
        elif not {"en", "zh-Hant"} <= shapes.messages(node.value).keys() or not shapes.lookup(node, SH + "severity"):
            yield LintFinding("unlabelled", node.value, "needs sh:message in en and zh-Hant, and sh:severity")


def _queries(shapes: Shapes) -> Iterator[LintFinding]:
    for node in shapes.facts:
        for select in shapes.lookup(node, SH + "select"):
            if not isinstance(select, Literal):
                continue
            visible = _HIDDEN_TEXT.sub(" ", select.value)
            for word in _FORBIDDEN:
                if re.search(rf"\b{word}\b", visible, re.IGNORECASE):
                    yield LintFinding("forbidden-sparql", _name(node), f"{word} is not allowed in a SPARQL constraint")
            declared = _declared(shapes, node)
            known = declared.keys() | set(_OWN_PREFIX.findall(select.value))
            for prefix in sorted(set(_PREFIXED.findall(visible)) - known - {"_"}):
                message = f"the prefix {prefix}: is not declared; name its declaration with sh:prefixes"
                yield LintFinding("undeclared-prefix", _name(node), message)
            try:
                Store().query(select.value, prefixes=declared)
            except SyntaxError as error:
                yield LintFinding("broken-sparql", _name(node), str(error)[:200])


def _declared(shapes: Shapes, node: object) -> dict[str, str]:
    prefixes: dict[str, str] = {}
    for home in shapes.lookup(node, SH + "prefixes"):
        for declaration in shapes.lookup(home, SH + "declare"):
            name, space = (shapes.lookup(declaration, SH + part) for part in ("prefix", "namespace"))
            if name and space and isinstance(name[0], Literal) and isinstance(space[0], Literal):
                prefixes[name[0].value] = space[0].value
    return prefixes


def _name(node: object) -> str:
    return node.value if isinstance(node, NamedNode) else str(node)


__all__ = ["LintFinding", "lint", "lint_shapes"]
