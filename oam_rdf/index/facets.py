"""Fills the columnar table of a generation from a store: one query per predicate, the rest in memory.

The table itself is :class:`oam_rdf.index.facet_table.Facets`, offered here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from oam_rdf.index.columns import Array, Column, Strings
from oam_rdf.index.facet_table import BEGINNING, END, FORMAT, Facets, effective, key_table
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import DCTERMS, OA, OAM, PAV, PROV, RDF, SCHEMES
from oam_rdf.ontology import Ontology, language

__all__ = ["Facets", "Select", "build", "granularities", "micros", "moment"]

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


def build(select: Select, classes: Mapping[str, str] | None = None) -> Facets:
    """The table of everything that ``select`` can see.

    ``classes`` maps class IRIs to granularities; by default the ontology says.
    """
    return _Builder(select, granularities(Ontology.load()) if classes is None else classes).result()


class _Builder:
    def __init__(self, select: Select, classes: Mapping[str, str]) -> None:
        self.select = select
        self.classes = classes
        self.levels: dict[str, int] = {}
        for graph, value in ((g.value, v.value) for g, v in select(f"SELECT ?g ?v {{ ?g <{OAM}visibility> ?v }}")):
            level = value.removeprefix(SCHEMES["visibility"])
            # An unknown class counts as the narrowest: never show by mistake.
            number = VISIBILITIES.index(level) if level in VISIBILITIES else len(VISIBILITIES) - 1
            self.levels[graph] = max(number, self.levels.get(graph, 0))

    def pairs(self, predicate: str) -> Iterable[tuple[str, str]]:
        return ((s.value, o.value) for s, o in self.select(f"SELECT ?s ?o {{ ?s <{predicate}> ?o }}"))

    def quads(self, predicate: str) -> Iterable[tuple[str, str, str]]:
        query = f"SELECT ?s ?o ?g {{ GRAPH ?g {{ ?s <{predicate}> ?o }} }}"
        return ((s.value, o.value, g.value) for s, o, g in self.select(query))

    def result(self) -> Facets:
        kinds: dict[str, str] = {}
        visibility: dict[str, int] = {}
        home: dict[str, str] = {}
        rank = ["DOCUMENT", "SECTION", "ARGUMENT", "STATEMENT", "EVIDENCE_ARTIFACT", "OTHER"]
        for subject, kind, graph in self.quads(RDF + "type"):
            granularity = self.classes.get(kind)
            if granularity is None:
                continue
            known = kinds.get(subject)
            if known is None or rank.index(granularity) < rank.index(known):
                kinds[subject] = granularity
            level = self.levels.get(graph, 0)
            if level < visibility.get(subject, len(VISIBILITIES)):
                visibility[subject], home[subject] = level, graph
        self.iris = sorted(kinds)
        self.row = {iri: row for row, iri in enumerate(self.iris)}
        self.n = len(self.iris)
        parent = self.rows(DCTERMS + "isPartOf")
        document = self.documents(parent, kinds)
        arrays: dict[str, Array] = {"parent": parent, "document": document}
        columns = {
            "granularity": Column.of(kinds[iri] for iri in self.iris),
            "language": self.languages(document),
            "epistemic_state": self.scheme("epistemicState", "epistemic-state"),
            "verification": self.scheme("verification", "verification", "NOT_TESTED"),
            "recorded_status": self.recorded(),
            "visibility": Column.of((VISIBILITIES[visibility[iri]] for iri in self.iris), VISIBILITIES),
            "kind": self.scheme("statementKind", "statement-kind"),
        }
        arrays |= self.edges()
        columns["version_status"] = effective(columns["recorded_status"], arrays["edge_old"], parent)
        arrays |= self.dates(home)
        arrays |= self.spans()
        arrays |= self.names()
        arrays |= {name: column.codes for name, column in columns.items()}
        meta = {"format": FORMAT, "rows": self.n, "values": {name: list(c.values) for name, c in columns.items()}}
        return Facets(arrays, meta)

    def rows(self, predicate: str) -> Array:
        found = np.full(self.n, -1, dtype=np.int32)
        for subject, value in self.pairs(predicate):
            row, target = self.row.get(subject, -1), self.row.get(value, -1)
            # Several parents, or the same edge in several graphs: the first in order of IRI, so that runs agree.
            if row >= 0 and target >= 0 and (found[row] < 0 or target < found[row]):
                found[row] = target
        return found

    def documents(self, parent: Array, kinds: Mapping[str, str]) -> Array:
        top = np.where(parent >= 0, parent, np.arange(self.n, dtype=np.int32)).astype(np.int32)
        for _ in range(64):
            following = top[top]
            if np.array_equal(following, top):
                break
            top = following
        is_document = np.fromiter((kinds[iri] == "DOCUMENT" for iri in self.iris), dtype=bool, count=self.n)
        return np.where(is_document[top], top, -1).astype(np.int32) if self.n else top

    def texts(self, predicate: str) -> list[str]:
        values = [""] * self.n
        for subject, value in self.pairs(predicate):
            row = self.row.get(subject, -1)
            if row >= 0 and (not values[row] or value < values[row]):
                values[row] = value
        return values

    def scheme(self, predicate: str, scheme: str, default: str = "") -> Column:
        space = SCHEMES[scheme]
        return Column.of((v.removeprefix(space) or default for v in self.texts(OAM + predicate)), ("",))

    def recorded(self) -> Column:
        names = ["ACTIVE"] * self.n
        for subject, value, graph in self.quads(OAM + "versionStatus"):
            row = self.row.get(subject, -1)
            if row >= 0 and not _INFERRED.search(graph):
                names[row] = value.removeprefix(SCHEMES["version-status"])
        return Column.of(names, ("ACTIVE",))

    def languages(self, document: Array) -> Column:
        names = [language(tag) for tag in self.texts(DCTERMS + "language")]
        for subject, tag in (
            (s.value, t.value) for s, t in self.select(f"SELECT ?s (LANG(?c) AS ?t) {{ ?s <{OAM}content> ?c }}")
        ):
            row = self.row.get(subject, -1)
            if row >= 0 and tag and not names[row]:
                names[row] = language(tag)
        inherited = (
            name or (names[int(document[row])] if document[row] >= 0 else "") for row, name in enumerate(names)
        )
        return Column.of(inherited, ("",))

    def edges(self) -> dict[str, Array]:
        widest: dict[tuple[int, int], int] = {}
        for new, old, graph in self.quads(OAM + "supersedes"):
            edge = self.row.get(new, -1), self.row.get(old, -1)
            if min(edge) >= 0:
                widest[edge] = min(widest.get(edge, len(VISIBILITIES)), self.levels.get(graph, 0))
        ordered = sorted(widest)
        return {
            "edge_new": np.array([edge[0] for edge in ordered], dtype=np.int32),
            "edge_old": np.array([edge[1] for edge in ordered], dtype=np.int32),
            "edge_visibility": np.array([widest[edge] for edge in ordered], dtype=np.uint8),
        }

    def dates(self, home: Mapping[str, str]) -> dict[str, Array]:
        committed = {graph: micros(when) for graph, when in self.pairs(OAM + "committedAt")}
        arrays = {
            name: np.fromiter((seconds(v, missing) for v in self.texts(predicate)), dtype=np.int64, count=self.n)
            for name, predicate, missing in (
                ("valid_from", OAM + "validFrom", BEGINNING),
                ("deprecated_at", OAM + "deprecatedAt", END),
                ("created", DCTERMS + "created", BEGINNING),
            )
        }
        commits = (committed.get(home[iri], BEGINNING) for iri in self.iris)
        arrays["committed"] = np.fromiter(commits, dtype=np.int64, count=self.n)
        return arrays

    def spans(self) -> dict[str, Array]:
        owners = [(s, o) for s, o in self.pairs(PROV + "wasQuotedFrom") if s in self.row]
        start, end = dict(self.pairs(OA + "start")), dict(self.pairs(OA + "end"))
        source = dict(self.pairs(OA + "hasSource"))
        derived = [(s, o) for s, o in self.pairs(PROV + "wasDerivedFrom") if s in self.row and "/original/" in o]
        hashes = sorted({original_hash(o) for _, o in derived} | {original_hash(o) for o in source.values()})
        index = {value: code for code, value in enumerate(hashes)}
        original = np.full(self.n, -1, dtype=np.int32)
        for subject, value in sorted(derived, reverse=True):
            original[self.row[subject]] = index[original_hash(value)]
        table = sorted(
            (self.row[owner], number(span), index[original_hash(source[span])], int(start[span]), int(end[span]))
            for owner, span in set(owners)
            if span in start and span in end and span in source
        )
        columns = np.array(table, dtype=np.int32).reshape(len(table), 5)
        has_original = original >= 0
        has_original[columns[:, 0]] = True
        strings = Strings.of(hashes)
        return {
            "original": original,
            "has_original": has_original,
            "span_owner": columns[:, 0].copy(),
            "span_source": columns[:, 2].copy(),
            "span_start": columns[:, 3].copy(),
            "span_end": columns[:, 4].copy(),
            "original_hash_bytes": strings.data,
            "original_hash_offsets": strings.offsets,
        }

    def names(self) -> dict[str, Array]:
        identifiers, titles = self.texts(DCTERMS + "identifier"), self.texts(DCTERMS + "title")
        aliases = sorted({(self.row[s], o) for s, o in self.pairs(OAM + "alias") if s in self.row})
        arrays = key_table(identifiers, aliases, titles)
        arrays["alias_owner"] = np.array([row for row, _ in aliases], dtype=np.int32)
        for name, values in (
            ("iri", self.iris),
            ("identifier", identifiers),
            ("title", titles),
            ("alias", [alias for _, alias in aliases]),
            ("version", self.texts(PAV + "version")),
            ("source_status", self.texts(OAM + "sourceStatus")),
        ):
            strings = Strings.of(values)
            arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = strings.data, strings.offsets
        return arrays


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
