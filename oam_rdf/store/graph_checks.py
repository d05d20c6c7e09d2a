"""Checks that need the whole graph: each is a query that must return nothing, run in Oxigraph.

A query file says in its head what the problem is and the way out (``# Problem:``, ``# Solution:``), how much it matters
(``# Severity:``) and what to tell people (``# Message (en):``). It selects ``?focus ?path ?value``. With
``# Parameter: relation`` it runs once for each relation of the ontology with ``?relation`` fixed, because a variable
predicate costs forty times as much at some million quads. With ``# Keep: loops`` or ``# Keep: forks`` it selects all edges,
of which those are findings that lie on a cycle or where two lines part for good: SPARQL would walk a path from every
edge, which is quadratic on a long chain (:mod:`oam_rdf.store.graph_edges`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions, Store, Triple, Variable

from oam_rdf.errors import ConfigError, UsageError
from oam_rdf.namespaces import SHAPES
from oam_rdf.ontology import Ontology
from oam_rdf.resources import shapes_dir
from oam_rdf.store.graph_edges import forks, loops
from oam_rdf.store.shapes import plain
from oam_rdf.store.shapes_report import ShapeResult, ordered

_KEEP = {"loops": loops, "forks": forks}
_Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
_HEAD = re.compile(r"^# (Problem|Solution|Severity|Parameter|Keep|Message \(([\w-]+)\)): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GraphCheck:
    """A violation query with what its head says. ``name`` is the file's, ``shape`` the IRI that findings carry."""

    name: str
    shape: str
    query: str
    problem: str
    solution: str
    severity: str
    messages: Mapping[str, str]
    per_relation: bool
    keep: str = ""

    def run(self, store: Store, relations: Collection[str]) -> list[ShapeResult]:
        """Findings in the union of all graphs of ``store``; ``relations`` are the IRIs for a query with a parameter."""
        if not self.per_relation:
            return self._select(store, {})
        return [
            finding
            for relation in sorted(relations)
            for finding in self._select(store, {Variable("relation"): NamedNode(relation)})
        ]

    def _select(self, store: Store, fixed: dict[Variable, _Term]) -> list[ShapeResult]:
        rows = store.query(self.query, use_default_graph_as_union=True, substitutions=fixed)
        assert isinstance(rows, QuerySolutions)
        found = [(plain(r["focus"]), str(r["path"]), str(r["value"]) if r["value"] is not None else "") for r in rows]
        if self.keep:
            edges = [(focus, value[1:-1]) for focus, _, value in found]
            kept = {(focus, f"<{value}>") for focus, value in _KEEP[self.keep](edges)}
            found = [row for row in found if (row[0], row[2]) in kept]
        return [
            ShapeResult(focus, path, value, self.shape, "SPARQLConstraintComponent", self.severity, self.messages)
            for focus, path, value in found
        ]


def checks(folder: FilePath | None = None) -> Mapping[str, GraphCheck]:
    """All checks by name, from ``shapes/queries``. :raises ConfigError: if a head is incomplete."""
    return _load((folder or shapes_dir()) / "queries")


def check_graph(store: Store, names: Collection[str] | None = None) -> tuple[ShapeResult, ...]:
    """Findings of the named checks (default: all) over the union of the graphs of ``store``.

    :raises UsageError: for a name that is no check.
    """
    return ordered([finding for found in run_checks(store, names).values() for finding in found])


def run_checks(store: Store, names: Collection[str] | None = None) -> dict[str, list[ShapeResult]]:
    """The same by name of the check, those that found nothing included."""
    known = checks()
    if unknown := sorted(set(names or ()) - known.keys()):
        raise UsageError(f"no such graph check: {', '.join(unknown)}", hint=f"known: {', '.join(sorted(known))}")
    relations = {relation.iri for relation in Ontology.load().relations.values()}
    return {name: known[name].run(store, relations) for name in (known if names is None else names)}


@lru_cache(maxsize=4)
def _load(folder: FilePath) -> dict[str, GraphCheck]:
    found = {}
    for file in sorted(folder.glob("*.rq")):
        text = file.read_text(encoding="utf-8")
        head: dict[str, str] = {}
        messages: dict[str, str] = {}
        for key, lang, value in _HEAD.findall(text):
            if lang:
                messages[lang] = value.strip()
            else:
                head[key] = value.strip()
        if head.get("Keep", "loops") not in _KEEP:
            raise ConfigError(f"unknown # Keep: {head['Keep']}", place=file.name, hint=f"one of {', '.join(_KEEP)}")
        if missing := {"Problem", "Solution", "Severity"} - head.keys() or {"en", "zh-Hant"} - messages.keys():
            raise ConfigError(f"its head lacks {', '.join(sorted(missing))}", place=file.name)
        found[file.stem] = GraphCheck(
            file.stem,
            f"{SHAPES}queries/{file.stem}",
            text,
            head["Problem"],
            head["Solution"],
            head["Severity"],
            messages,
            head.get("Parameter") == "relation",
            head.get("Keep", ""),
        )
    return found
