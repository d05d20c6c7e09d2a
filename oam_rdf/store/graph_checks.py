"""Checks that need the whole graph: each is a query that must return nothing, run in Oxigraph.

A query file says in its head what the problem is and the way out (``# Problem:``, ``# Solution:``), how much it matters
(``# Severity:``) and what to tell people (``# Message (en):``). It selects ``?focus ?path ?value``. With
``# Parameter: relation`` it runs once for each relation of the ontology with ``?relation`` fixed, because a variable
predicate costs forty times as much at some million quads.
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
from oam_rdf.store.shapes import plain
from oam_rdf.store.shapes_report import ShapeResult, ordered

_Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
_HEAD = re.compile(r"^# (Problem|Solution|Severity|Parameter|Message \(([\w-]+)\)): (.+)$", re.MULTILINE)


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
        return [
            ShapeResult(
                plain(row["focus"]),
                str(row["path"]),
                str(row["value"]) if row["value"] is not None else "",
                self.shape,
                "SPARQLConstraintComponent",
                self.severity,
                self.messages,
            )
            for row in rows
        ]


def checks(folder: FilePath | None = None) -> Mapping[str, GraphCheck]:
    """All checks by name, from ``shapes/queries``. :raises ConfigError: if a head is incomplete."""
    return _load((folder or shapes_dir()) / "queries")


def check_graph(store: Store, names: Collection[str] | None = None) -> tuple[ShapeResult, ...]:
    """Findings of the named checks (default: all) over the union of the graphs of ``store``.

    :raises UsageError: for a name that is no check.
    """
    known = checks()
    if unknown := sorted(set(names or ()) - known.keys()):
        raise UsageError(f"no such graph check: {', '.join(unknown)}", hint=f"known: {', '.join(sorted(known))}")
    relations = {relation.iri for relation in Ontology.load().relations.values()}
    return ordered([f for name in names or known for f in known[name].run(store, relations)])


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
        )
    return found
