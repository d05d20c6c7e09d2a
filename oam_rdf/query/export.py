"""What leaves a knowledge base: RDF of some of its objects or of all, OAM JSON, tables and the wiki's files.

Everything is read from the snapshot of one clearance, so an export never shows more than a search does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from oam_rdf.errors import UsageError
from oam_rdf.model import VISIBILITIES
from oam_rdf.query import graph_json, wiki_files
from oam_rdf.query.resolve import resolve
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store import oam_json, series, tables, tcf_lite, verdict_file
from oam_rdf.store.export import FORMATS, serialize, serialize_tcf
from oam_rdf.store.minter import Minter
from oam_rdf.store.selection import Selection

__all__ = ["FORMATS", "NAMES", "VIEWS", "chosen", "export", "identifiers_in"]

View = Callable[[Snapshot, Selection], bytes]


def _table(table: str, kind: str) -> View:
    return lambda snapshot, selection: tables.dump(selection, table, kind)


#: What is no RDF, by the name of the file it makes: snapshot and selection -> bytes.
VIEWS: Mapping[str, View] = {
    "oam-json": lambda snapshot, selection: oam_json.document(selection),
    "oam-jsonl": lambda snapshot, selection: oam_json.lines(selection),
    "graph.json": lambda snapshot, selection: graph_json.full(snapshot, selection),
    "graph_index.json": lambda snapshot, selection: graph_json.index(snapshot, selection),
    "index.md": lambda snapshot, selection: wiki_files.index(snapshot, selection),
    "log.md": lambda snapshot, selection: wiki_files.log(selection),
    "series.json": lambda snapshot, selection: series.dump(selection),
    "tcf-lite": lambda snapshot, selection: tcf_lite.dump(selection),
    "verdicts": lambda snapshot, selection: verdict_file.dump(selection),
    **{f"{table}.{kind}": _table(table, kind) for table in tables.TABLES for kind in tables.KINDS},
}
NAMES = (*FORMATS, *VIEWS)


def export(
    snapshot: Snapshot,
    minter: Minter,
    identifiers: Sequence[str] | None,
    fmt: str,
    *,
    tcf: bool = False,
    originals: tuple[Path, Path] | None = None,
) -> bytes:
    """The objects called so (a document whole, anything else with its document's head), or everything for None.

    :param fmt: one of :data:`NAMES`.
    :param tcf: for RDF: the merged graph of what the documents say, how it was judged and where it comes from, and with a
        paper the TCF document about it.
    :param originals: folders to copy the Originals from and to; those that hold something hidden from this clearance stay.
    :raises NotFound: for an id that is not there, or not to be seen.
    :raises UsageError: for an unknown format, or ``tcf`` with one that is no RDF.
    """
    if fmt not in NAMES:
        raise UsageError(f"unknown format {fmt!r}", hint="one of " + ", ".join(NAMES))
    if tcf and fmt not in FORMATS:
        raise UsageError(f"a TCF graph is RDF, {fmt} is not", hint="one of " + ", ".join(FORMATS))
    selection = chosen(snapshot, minter, identifiers, papers=tcf)
    if originals is not None:
        hidden = {name for name in snapshot.facets.originals if snapshot.hides(name)}
        selection.copy_originals(*originals, hidden)
    if fmt in VIEWS:
        return VIEWS[fmt](snapshot, selection)
    return serialize_tcf(selection, fmt) if tcf else serialize(selection, fmt)


def chosen(snapshot: Snapshot, minter: Minter, identifiers: Sequence[str] | None, *, papers: bool = False) -> Selection:
    """What the ids select. With ``papers`` the TCF document ``<id>.tcf`` comes along with the document ``<id>``."""
    # Old texts hold what an edit removed: only who may see everything takes them along.
    history = snapshot.history if snapshot.clearance == VISIBILITIES[-1] else None
    selection = Selection(snapshot.store, history, minter)
    if identifiers is None:
        return selection
    facets = snapshot.facets
    wanted: dict[str, set[str] | None] = {}
    for identifier in identifiers:
        row = resolve(snapshot, identifier)
        document = int(facets.document[row])
        if document < 0:
            raise UsageError(f"{identifier!r} belongs to no document", hint="export the document that describes it")
        name = facets.identifiers[document]
        if row == document:
            wanted[name] = None
        elif (parts := wanted.setdefault(name, set())) is not None:
            parts.add(facets.iris[row])
    if papers:
        wanted |= dict.fromkeys(_abstracts(snapshot, [name for name, parts in wanted.items() if parts is None]))
    return selection.only({name: parts or () for name, parts in wanted.items()})


def identifiers_in(text: str) -> list[str]:
    """Ids, one a line, or those of the results in the JSON of a search; each once.

    :raises UsageError: if there is none.
    """
    found: Iterable[str]
    try:
        data = json.loads(text) if text.lstrip()[:1] in "[{" else None
    except ValueError as error:
        raise UsageError(f"that begins like JSON and is none: {error}") from error
    if data is None:
        found = (line.strip() for line in text.splitlines())
    else:
        results = data.get("results", ()) if isinstance(data, dict) else data
        items = results if isinstance(results, list) else ()
        found = (str(item.get("id") or "") if isinstance(item, dict) else str(item) for item in items)
    ids = [identifier for identifier in dict.fromkeys(found) if identifier]
    if not ids:
        raise UsageError("no id in there", hint="write one a line, or give what `oam search --json` printed")
    return ids


def _abstracts(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    facets, wanted = snapshot.facets, {f"{name}.tcf" for name in names}
    rows = np.flatnonzero(snapshot.visible & facets.mask("granularity", "DOCUMENT")) if wanted else ()
    return [name for row in rows if (name := facets.identifiers[int(row)]) in wanted]
