"""Along which edges a query walks, and what it names to start from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from oam_rdf.index.columns import Array
from oam_rdf.index.graph_table import Graph
from oam_rdf.namespaces import OAM
from oam_rdf.ontology import Ontology, RelationType
from oam_rdf.paths import branches
from oam_rdf.query.plan import Plan
from oam_rdf.query.resolve import named
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.trace import State
from oam_rdf.text.segment import HAN_CLASS

STARTS = 8  # objects to start from at most
_WORD = re.compile(rf"[{HAN_CLASS}]|[^\W_{HAN_CLASS}]+(?:[-_'’.+#&/]+[^\W_{HAN_CLASS}]+)*[+#]*")
_LONGEST = 12  # words or Han characters in a title that is looked for
_READ = 64  # words or Han characters of a query that are looked at
_NAMESAKES = 3  # a name of more objects names none


@dataclass(frozen=True, slots=True)
class Ways:
    """``along, against``: ``bool[relations]``, whether an edge may be walked with its arrow and against it. ``names`` are
    the relations asked for (empty = all), ``unknown`` those that the ontology does not have."""

    along: Array
    against: Array
    names: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def ways(plan: Plan, graph: Graph) -> Ways:
    """The relations of the plan, else those of its directions' steps, else all.

    A relation is walked both ways (what implements X, what X implements), one named backwards (``superseded_by``) only
    from the object to what the name calls so. Sub-relations count: ``refines`` walks ``extends``.
    """
    size = len(graph.relations)
    along, against = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    names: list[str] = []
    unknown: list[str] = []
    for entry in plan.graph.relations:
        relation = _relation(entry.value)
        if relation is None:
            unknown.append(entry.value)
            continue
        names.append(relation.name)
        codes = list(graph.codes([_notation(relation.iri)]))
        against[codes] = True
        if not relation.inverse:
            along[codes] = True
    if not names:
        for notation, backwards in _steps(plan):
            names.append(("^" if backwards else "") + notation)
            codes = list(graph.codes([notation]))
            (against if backwards else along)[codes] = True
    if not names:
        along[:] = against[:] = True
    return Ways(along, against, tuple(dict.fromkeys(names)), tuple(unknown))


def _relation(name: str) -> RelationType | None:
    """By its snake_case name, or as the property is called: ``depends_on``, ``dependsOn``, ``oam:dependsOn``."""
    relations = Ontology.load().relations
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.removeprefix(OAM).removeprefix("oam:")).lower().replace(" ", "_")
    return relations.get(name) or relations.get(snake)


def _notation(iri: str) -> str:
    """The first name that reads the property forwards, as the graph knows it."""
    return next(item.name for item in Ontology.load().relations.values() if item.iri == iri and not item.inverse)


def _steps(plan: Plan) -> Iterator[tuple[str, bool]]:
    """``(relation, against its arrow)`` of every step of the plan's directions that is one edge of a relation."""
    ontology = Ontology.load()
    known = {item.iri for item in ontology.relations.values()}
    for entry in plan.navigation.directions:
        direction = ontology.direction(entry.value)
        for branch in branches(direction.step) if direction else ():
            if len(branch) == 1 and branch[0][0] in known:
                yield _notation(branch[0][0]), branch[0][1]


def starts(state: State) -> list[int]:
    """Rows of the visible objects that the query names: by id, as the start of a direction, as an entity, or because
    their title or alias stands in the text. In this order, without repetition."""
    plan, snapshot = state.plan, state.snapshot
    found = dict.fromkeys(state.ids.values())
    for entry in (*plan.navigation.start, *plan.entities):
        rows = [row for row in named(snapshot, entry.value) if snapshot.facets.column("granularity")[row] != "SECTION"]
        if 0 < len(rows) <= _NAMESAKES:
            found.update(dict.fromkeys(rows))
    found.update(dict.fromkeys(mentioned(snapshot, plan.text)))
    return list(found)[:STARTS]


def mentioned(snapshot: Snapshot, text: str) -> list[int]:
    """Rows of the visible objects, sections apart, whose name stands in a text; longer names before what lies in them."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)][:_READ]
    found: dict[int, None] = {}
    taken = [False] * len(words)
    for length in range(min(_LONGEST, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            phrase = text[words[first][0] : words[first + length - 1][1]]
            if any(taken[first : first + length]) or not _tells(phrase, length):
                continue
            if rows := _called(snapshot, phrase):
                found.update(dict.fromkeys(rows))
                taken[first : first + length] = [True] * length
    return list(found)


def _tells(phrase: str, words: int) -> bool:
    """A single word is a name only with a capital or a digit in it; a single Han character never is."""
    return words > 1 or (len(phrase) > 2 and any(c.isupper() or c.isdigit() for c in phrase))


def _called(snapshot: Snapshot, phrase: str) -> list[int]:
    facets, granularity = snapshot.facets, snapshot.facets.column("granularity")
    rows = {row for row, _ in facets.named(phrase) if snapshot.visible[row] and granularity[row] != "SECTION"}
    if " " not in phrase and phrase.isascii():  # ``Data`` opening a sentence is no page called ``data``
        rows = {row for row in rows if phrase in (facets.titles[row], facets.identifiers[row], *facets.aliases(row))}
    whole = sorted(row for row in rows if granularity[row] == "DOCUMENT") or sorted(rows)
    return whole if len(whole) <= _NAMESAKES else []
