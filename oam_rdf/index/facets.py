"""Fills the columnar table of a generation from a store: one query per predicate, the rest in memory.

The table itself is :class:`oam_rdf.index.facet_table.Facets`, offered here too. Where a store says several things of which
a column holds one, it is the first in order, so that a row depends on what is said and on nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.index.facet_join import Own, empty, join
from oam_rdf.index.facet_table import BEGINNING, END, Facets
from oam_rdf.index.splicing import Splice
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, SCHEMES
from oam_rdf.ontology import Ontology, language

__all__ = ["Facets", "Select", "build", "granularities", "micros", "moment", "spliced"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Runs SPARQL over the union of all graphs; a solution is indexable and its terms have ``.value``.
Select = Callable[[str], Iterable[Sequence[Any]]]

_GRANULARITIES = {
    "Document": "DOCUMENT",
    "Section": "SECTION",
    "Argument": "ARGUMENT",
    "Statement": "STATEMENT",
    "EvidenceArtifact": "EVIDENCE_ARTIFACT",
}
_RANK = (*_GRANULARITIES.values(), "OTHER")
# Made by the program about other graphs: never what a source says.
_INFERRED = re.compile(r"/inferred(?:/[a-z]+)?$")


def granularities(ontology: Ontology) -> dict[str, str]:
    """Class IRI -> granularity for every class that is, or is a kind of, a document, section, argument, statement …"""
    found = {OAM + name: granularity for name, granularity in _GRANULARITIES.items()}
    for iri, above in ontology.superclasses.items():
        for name, granularity in _GRANULARITIES.items():
            if OAM + name in above:
                found.setdefault(iri, granularity)
        if OAM + "KnowledgeObject" in above and OAM + "SourceSpan" not in above and iri != OAM + "SourceSpan":
            found.setdefault(iri, "OTHER")
    return found


def build(
    select: Select,
    classes: Mapping[str, str] | None = None,
    previous: Facets | None = None,
    touched: Collection[str] = (),
) -> Facets:
    """The table of everything that ``select`` can see.

    ``classes`` maps class IRIs to granularities; by default the ontology says. With the ``previous`` table only the rows of
    the objects ``touched`` are made anew: then ``select`` need show no more than their triples, those of their spans, and
    those about the graphs that any of these stand in.
    """
    return spliced(select, classes, previous, touched)[0]


def spliced(
    select: Select,
    classes: Mapping[str, str] | None = None,
    previous: Facets | None = None,
    touched: Collection[str] = (),
) -> tuple[Facets, Splice]:
    """The same, and how its rows came together."""
    known = granularities(Ontology.load()) if classes is None else classes
    reader = _Reader(select, known, None if previous is None else frozenset(touched))
    old = empty() if previous is None else previous
    splice = Splice(old.iris, touched if previous is not None else (), reader.iris)
    return join(old, splice, reader.own(splice)), splice


class _Reader:
    """Reads what a store says of objects: of all, or of those in ``only``."""

    def __init__(self, select: Select, classes: Mapping[str, str], only: frozenset[str] | None) -> None:
        self.select = select
        self.levels: dict[str, int] = {}
        for graph, value in ((g.value, v.value) for g, v in select(f"SELECT ?g ?v {{ ?g <{OAM}visibility> ?v }}")):
            level = value.removeprefix(SCHEMES["visibility"])
            # An unknown class counts as the narrowest: never show by mistake.
            number = VISIBILITIES.index(level) if level in VISIBILITIES else len(VISIBILITIES) - 1
            self.levels[graph] = max(number, self.levels.get(graph, 0))
        self.kinds: dict[str, str] = {}
        #: Of the graphs that say what an object is, the widest one, and of equals the first by name.
        self.home: dict[str, tuple[int, str]] = {}
        for subject, kind, graph in self.quads(RDF + "type"):
            granularity = classes.get(kind)
            if granularity is None or (only is not None and subject not in only):
                continue
            known = self.kinds.get(subject)
            if known is None or _RANK.index(granularity) < _RANK.index(known):
                self.kinds[subject] = granularity
            place = self.levels.get(graph, 0), graph
            self.home[subject] = min(place, self.home.get(subject, place))
        self.iris = sorted(self.kinds)
        self.local = {iri: number for number, iri in enumerate(self.iris)}
        self.n = len(self.iris)

    def pairs(self, predicate: str) -> Iterable[tuple[str, str]]:
        return ((s.value, o.value) for s, o in self.select(f"SELECT ?s ?o {{ ?s <{predicate}> ?o }}"))

    def quads(self, predicate: str) -> Iterable[tuple[str, str, str]]:
        query = f"SELECT ?s ?o ?g {{ GRAPH ?g {{ ?s <{predicate}> ?o }} }}"
        return ((s.value, o.value, g.value) for s, o, g in self.select(query))

    def own(self, splice: Splice) -> Own:
        """Everything about the objects; ``splice`` says which others there are."""
        return Own(
            iris=self.iris,
            parent=self.parents(splice),
            columns={
                "granularity": [self.kinds[iri] for iri in self.iris],
                "own_language": self.languages(),
                "epistemic_state": self.scheme("epistemicState", "epistemic-state"),
                "verification": self.scheme("verification", "verification", "NOT_TESTED"),
                "recorded_status": self.recorded(),
                "visibility": [VISIBILITIES[self.home[iri][0]] for iri in self.iris],
                "kind": self.scheme("statementKind", "statement-kind"),
            },
            edges=self.edges(splice),
            dates=self.dates(),
            originals=self.originals(),
            spans=self.spans(),
            strings={
                "identifier": self.texts(DCTERMS + "identifier"),
                "title": self.texts(DCTERMS + "title"),
                "version": self.texts(PAV + "version"),
                "source_status": self.texts(OAM + "sourceStatus"),
            },
            aliases=sorted({(self.local[s], o) for s, o in self.pairs(OAM + "alias") if s in self.local}),
        )

    def parents(self, splice: Splice) -> list[int]:
        found = [-1] * self.n
        for subject, value in self.pairs(DCTERMS + "isPartOf"):
            number = self.local.get(subject, -1)
            target = splice.row(value) if number >= 0 else -1
            # Several parents, or the same edge in several graphs: the first in order of IRI, so that runs agree.
            if target >= 0 and (found[number] < 0 or target < found[number]):
                found[number] = target
        return found

    def texts(self, predicate: str) -> list[str]:
        values = [""] * self.n
        for subject, value in self.pairs(predicate):
            number = self.local.get(subject, -1)
            if number >= 0 and value and (not values[number] or value < values[number]):
                values[number] = value
        return values

    def scheme(self, predicate: str, scheme: str, default: str = "") -> list[str]:
        space = SCHEMES[scheme]
        return [v.removeprefix(space) or default for v in self.texts(OAM + predicate)]

    def recorded(self) -> list[str]:
        """What sources say; where they disagree, of what is not ACTIVE the first in order of notation."""
        names = [""] * self.n
        for subject, value, graph in self.quads(OAM + "versionStatus"):
            number = self.local.get(subject, -1)
            if number >= 0 and not _INFERRED.search(graph):
                name = value.removeprefix(SCHEMES["version-status"])
                if name != "ACTIVE" and (not names[number] or name < names[number]):
                    names[number] = name
        return [name or "ACTIVE" for name in names]

    def languages(self) -> list[str]:
        names = [language(tag) for tag in self.texts(DCTERMS + "language")]
        said: dict[int, str] = {}
        for subject, tag in self.select(f"SELECT ?s (LANG(?c) AS ?t) {{ ?s <{OAM}content> ?c }}"):
            number = self.local.get(subject.value, -1)
            if number >= 0 and tag.value and not names[number]:
                said[number] = min(tag.value, said.get(number, tag.value))
        for number, tag in said.items():
            names[number] = language(tag)
        return names

    def edges(self, splice: Splice) -> list[tuple[int, int, int]]:
        widest: dict[tuple[int, int], int] = {}
        for new, old, graph in self.quads(OAM + "supersedes"):
            edge = self.local.get(new, -1), splice.row(old) if new in self.local else -1
            if min(edge) >= 0:
                widest[edge] = min(widest.get(edge, len(VISIBILITIES)), self.levels.get(graph, 0))
        return [(*edge, widest[edge]) for edge in sorted(widest)]

    def dates(self) -> dict[str, Array]:
        committed = firsts(self.pairs(OAM + "committedAt"))
        arrays = {
            name: np.fromiter((seconds(v, missing) for v in self.texts(predicate)), dtype=np.int64, count=self.n)
            for name, predicate, missing in (
                ("valid_from", OAM + "validFrom", BEGINNING),
                ("deprecated_at", OAM + "deprecatedAt", END),
                ("created", DCTERMS + "created", BEGINNING),
            )
        }
        times = {graph: micros(when) for graph, when in committed.items()}
        commits = (times.get(self.home[iri][1], BEGINNING) for iri in self.iris)
        arrays["committed"] = np.fromiter(commits, dtype=np.int64, count=self.n)
        return arrays

    def originals(self) -> list[str]:
        """The Original of each object: what its own document says, not what others say of it."""
        found: dict[str, tuple[bool, str]] = {}
        for subject, value, graph in self.quads(PROV + "wasDerivedFrom"):
            if subject in self.local and "/original/" in value:
                own = f"/graph/{subject.rpartition('/doc/')[2]}/" in graph
                found[subject] = min((not own, value), found.get(subject, (True, "\U0010ffff")))
        return [original_hash(found[iri][1]) if iri in found else "" for iri in self.iris]

    def spans(self) -> list[tuple[int, int, str, int, int]]:
        owners = {(s, o) for s, o in self.pairs(PROV + "wasQuotedFrom") if s in self.local}
        start, end = firsts(self.pairs(OA + "start")), firsts(self.pairs(OA + "end"))
        source = firsts(self.pairs(OA + "hasSource"))
        return sorted(
            (self.local[owner], number(span), original_hash(source[span]), int(start[span]), int(end[span]))
            for owner, span in owners
            if span in start and span in end and span in source
        )


def firsts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The value of each subject, of several the first in order."""
    found: dict[str, str] = {}
    for subject, value in pairs:
        known = found.setdefault(subject, value)
        if value < known:
            found[subject] = value
    return found


def number(span: str) -> int:
    """Order of a span among its object's: ``….span`` is the first, ``….span2`` the second."""
    digits = re.search(r"\d+$", span)
    return int(digits.group()) if digits else 1


def original_hash(iri: str) -> str:
    """``…/original/sha256-<hex>`` -> ``<hex>``."""
    return iri.rpartition("sha256-")[2]


def moment(text: str) -> datetime | None:
    """An xsd:dateTime or xsd:date; without a zone it is UTC (decisions.md, "Numbers"). None if it is neither."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def micros(text: str) -> int:
    when = moment(text)
    return BEGINNING if when is None else (when - _EPOCH) // timedelta(microseconds=1)


def seconds(text: str, missing: int) -> int:
    when = moment(text) if text else None
    return missing if when is None else int(when.timestamp())
