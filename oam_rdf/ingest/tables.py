"""Facets, graph, tags and names of a new generation: spliced into those of the one before, or made anew.

Both ways give the same bytes. Everything is made anew where the previous tables are missing, damaged, or made by other
rules, and where so much changed that splicing saves nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Set
from functools import lru_cache
from pathlib import Path
from typing import Any

from pyoxigraph import Store

from oam_rdf import __version__
from oam_rdf.errors import Damaged
from oam_rdf.index import facets, graph_build, name_table, tag_table
from oam_rdf.index.facet_table import Facets
from oam_rdf.index.facets import Select, granularities
from oam_rdf.index.graph_table import GraphTable
from oam_rdf.index.name_table import NameTable
from oam_rdf.index.tag_table import TagTable
from oam_rdf.ingest import stored
from oam_rdf.ingest.stored import StoredFile
from oam_rdf.ingest.touched import Touched, changed_graphs, graph_names
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir
from oam_rdf.store import publish
from oam_rdf.store.layout import Layout

_RULES = "2"  # raised when the same triples give other tables
_SHARE = 0.25  # of the rows; beyond it one query per predicate costs less
_FILES = "files.json"
_FOLDERS = ("facets", "graph", "tags", "names")


def fingerprint() -> str:
    """Of the rules by which tables are made: those of another fingerprint are not spliced."""
    own = Ontology.load().own  # Turtle of the knowledge base's own
    return hashlib.sha256(f"{_shipped()} {own}".encode()).hexdigest() if own else _shipped()


@lru_cache(maxsize=1)
def _shipped() -> str:
    found = hashlib.sha256(f"{__version__} {_RULES}".encode())
    for file in sorted(ontology_dir().rglob("*.ttl")):
        found.update(file.read_bytes())
    return found.hexdigest()


def build(
    live: Store, new: Path, base: Path | None, since: int, graphs: Set[str], before: Set[str] | None = None
) -> int:
    """Write the tables of what ``live`` holds below ``new``.

    :param base: the generation before, of revision ``since``, whose tables were made by the same rules; None = make anew.
    :param graphs: names of all graphs of ``live``.
    :param before: those of ``base``, None = read them.
    :returns: how many rows were read.
    """
    if base is not None:
        try:
            return _spliced(live, new, base, since, graphs, before)
        except _Anew:
            pass
    select = _select(live)
    table, splice = facets.spliced(select)
    table.save(new / "facets")
    graph_build.build(select, table, splice=splice).save(new / "graph")
    tag_table.build(select, table, splice=splice).save(new / "tags")
    name_table.build(select).save(new / "names")
    stored.write(new / "names" / _FILES, stored.stored_files(live))
    return len(table)


def known(layout: Layout, revision: int) -> tuple[NameTable, list[StoredFile]] | None:
    """The names and files of the current generation, if it shows ``revision`` and can be read."""
    number = publish.current_number(layout)
    if number is None:
        return None
    with publish.open_generation(layout, number) as generation:
        made = generation.manifest.get("tables") == fingerprint() and generation.revision == revision
        if not made or publish.altered(generation.path, ("names",))[1]:
            return None
        try:
            return NameTable.open(generation.path / "names"), stored.read(generation.path / "names" / _FILES)
        except Damaged:
            return None


class _Anew(Exception):
    """The previous tables are of no use."""


def _spliced(live: Store, new: Path, base: Path, since: int, graphs: Set[str], named: Set[str] | None) -> int:
    if publish.altered(base, _FOLDERS)[1]:
        raise _Anew
    try:
        old = Facets.open(base / "facets")
        graph, tags = GraphTable.open(base / "graph", len(old)), TagTable.open(base / "tags", len(old))
        names = NameTable.open(base / "names")
        files = stored.read(base / "names" / _FILES)
    except Damaged as error:
        raise _Anew from error
    before = Store.read_only(str(base / "store"))
    changed = changed_graphs(graph_names(before) if named is None else named, graphs, live, since)
    ontology = Ontology.load()
    reach = Touched(before, live, granularities(ontology))
    touched = reach.subjects(changed)
    if len(touched) > _SHARE * len(old):
        raise _Anew
    select = _select(reach.extract())
    table, splice = facets.spliced(select, previous=old, touched=touched)
    table.save(new / "facets")
    graph_build.build(select, table, ontology, graph, splice).save(new / "graph")
    tag_table.build(select, table, ontology, tags, splice).save(new / "tags")
    name_table.build(select, names, touched).save(new / "names")
    stored.write(new / "names" / _FILES, stored.changed(files, live, since, graphs))
    return len(splice.fresh)


def _select(store: Store) -> Select:
    def select(query: str) -> Iterable[tuple[Any, ...]]:
        return store.query(query, use_default_graph_as_union=True)  # type: ignore[return-value]

    return select
