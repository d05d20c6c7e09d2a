"""Consistency and unsatisfiable classes by HermiT, through owlready2 (the extra ``owl``) and a Java runtime.

Where one of the two is absent the answer says so: a reasoner that did not run has found nothing out.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from oam_rdf.namespaces import OAM, OWL, RDF, RDFS, SH, SKOS

_TYPE = NamedNode(RDF + "type")
# Nothing may be fetched, and a property path is no OWL.
_LEFT_OUT = {OWL + "imports", OAM + "step", OAM + "lastStep"}
_PROPERTIES = {OWL + "ObjectProperty", OWL + "DatatypeProperty", OWL + "AnnotationProperty"}


@dataclass(frozen=True, slots=True)
class Reasoning:
    """``ran`` False: ``reason`` says what is missing and the other fields mean nothing."""

    ran: bool
    reason: str = ""
    consistent: bool = False
    unsatisfiable: tuple[str, ...] = ()  # IRIs of classes that can have no member
    classes: int = 0
    properties: int = 0
    individuals: int = 0
    axioms: int = 0  # triples that were given to the reasoner


def reason(triples: Iterable[Triple]) -> Reasoning:
    """What HermiT says of the merged triples (imports are not followed; SHACL paths are left out)."""
    java = shutil.which("java")
    if java is None:
        return Reasoning(False, "no Java runtime was found (HermiT needs one)")
    try:
        owlready2: Any = importlib.import_module("owlready2")
    except ImportError:
        return Reasoning(False, "owlready2 is not installed (pip install 'oam-rdf[owl]')")
    logical = [*_logical(list(triples))]
    counts = {kind: len({t.subject for t in logical if t.object == NamedNode(OWL + kind)}) for kind in
              ("Class", "ObjectProperty", "DatatypeProperty", "NamedIndividual")}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        # N-Triples, because owlready2 reads neither Turtle nor TriG.
        file = Path(folder) / "ontology.nt"
        file.write_bytes(serialize(logical, format=RdfFormat.N_TRIPLES) or b"")
        owlready2.JAVA_EXE = java
        world = owlready2.World()
        with file.open("rb") as opened:
            ontology = world.get_ontology("https://w3id.org/oam/ontology").load(fileobj=opened)
        consistent = True
        try:
            with ontology:
                owlready2.sync_reasoner_hermit(world, debug=0)
        except owlready2.OwlReadyInconsistentOntologyError:
            consistent = False
        dead = tuple(sorted(str(c.iri) for c in world.inconsistent_classes() if c is not owlready2.Nothing))
        world.close()
    return Reasoning(
        True,
        "",
        consistent,
        dead if consistent else (),
        counts["Class"],
        counts["ObjectProperty"] + counts["DatatypeProperty"],
        counts["NamedIndividual"],
        len(logical),
    )


def _logical(triples: list[Triple]) -> Iterator[Triple]:
    """The triples without annotations, with the declarations that OWL asks for of what other vocabularies own."""
    types: dict[object, set[str]] = {}
    for triple in triples:
        if triple.predicate == _TYPE and isinstance(triple.object, NamedNode):
            types.setdefault(triple.subject, set()).add(triple.object.value)
    annotations = {node for node, kinds in types.items() if OWL + "AnnotationProperty" in kinds}
    for triple in triples:
        predicate = triple.predicate.value
        if predicate in _LEFT_OUT or predicate.startswith((SH, SKOS)) or triple.predicate in annotations:
            continue
        if predicate.startswith(RDF) and predicate != RDF + "type" and isinstance(triple.object, Literal):
            continue
        yield triple
    for node, kind in _declarations(triples, types):
        yield Triple(node, _TYPE, NamedNode(OWL + kind))


def _declarations(triples: list[Triple], types: dict[object, set[str]]) -> set[tuple[NamedNode, str]]:
    found: set[tuple[NamedNode, str]] = set()
    for triple in triples:
        predicate, value = triple.predicate.value, triple.object
        if not isinstance(value, NamedNode):
            continue
        known = types.get(value, set())
        if predicate == RDFS + "subPropertyOf" and not known & _PROPERTIES:
            found |= {(value, kind.removeprefix(OWL)) for kind in types.get(triple.subject, set()) & _PROPERTIES}
        elif predicate == RDFS + "subClassOf" and OWL + "Class" not in known:
            found.add((value, "Class"))
        elif predicate == RDF + "type" and isinstance(triple.subject, NamedNode) and not value.value.startswith(OWL):
            found.add((triple.subject, "NamedIndividual"))
            if OWL + "Class" not in known:
                found.add((value, "Class"))
    return found
