"""Where a source speaks of a focus node: the file as it was ingested and the line where its span begins."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pyoxigraph import NamedNode, Quad, Store

from oam_rdf.errors import Damaged
from oam_rdf.namespaces import OA, OAM, PROV, RDF
from oam_rdf.store.minter import document_segment
from oam_rdf.store.originals import Originals

Place = tuple[str, int]  # (file, 1-based line); ("", 0): unknown

_TYPE = NamedNode(RDF + "type")
_PATH, _ROOT = NamedNode(OAM + "sourcePath"), NamedNode(OAM + "ingestRoot")
_QUOTED, _DERIVED = NamedNode(PROV + "wasQuotedFrom"), NamedNode(PROV + "wasDerivedFrom")
_SOURCE, _START = NamedNode(OA + "hasSource"), NamedNode(OA + "start")
_TOKEN = re.compile(r"<([^<>\s]+)>|((?:[A-Za-z][\w.-]*)?):((?:[\w%:-]|\\.|\.(?=[\w%]))*)")
_ABOUT = re.compile(r'"@id"\s*:\s*"([^"]+)"|rdf:about="([^"]+)"')
_PREFIX = re.compile(r"@?prefix\s+([\w.-]*):\s*<([^<>]*)>", re.IGNORECASE)


class StorePlaces:
    """Places of nodes of a knowledge base. ``originals`` is its folder of Originals; files below ``here`` are named
    relative to it, as code hosts want them, others as their ingest named them."""

    def __init__(self, store: Store, originals: Path | None = None, here: Path | None = None) -> None:
        self._store = store
        self._originals = Originals(originals) if originals else None
        self._here = here
        self._files = self._sources()
        # Findings come sorted by focus node, so a few texts are enough.
        self._lines = lru_cache(maxsize=8)(self._line_starts)

    def find(self, focus: str) -> Place:
        """File and line of a focus node; of a document, or where no span is known, line 1; ("", 0) if no file is."""
        if focus.startswith("_:") or ":" not in focus:
            return "", 0
        file = ""
        for iri in _owners(focus):
            node = NamedNode(iri)
            file = file or self._file(node)
            if (line := self._line(node)) and file:
                return file, line
        return (file, 1) if file else ("", 0)

    def _sources(self) -> dict[str, str]:
        """Encoded document id -> its file."""
        roots = {q.subject: _value(q) for q in self._store.quads_for_pattern(None, _ROOT, None)}
        found = {}
        for quad in self._store.quads_for_pattern(None, _PATH, None):
            segment = document_segment(quad.subject.value) if isinstance(quad.subject, NamedNode) else None
            if segment is not None:
                found[segment] = self._shown(roots.get(quad.subject, ""), _value(quad))
        return found

    def _shown(self, root: str, path: str) -> str:
        file = Path(root, path) if root and self._here else None
        if file is not None and self._here is not None and file.is_relative_to(self._here) and file.exists():
            return file.relative_to(self._here).as_posix()
        return path

    def _file(self, node: NamedNode) -> str:
        store = self._store
        # Where it is typed is where it is described; others may speak of it. A finding may be about a graph itself, and
        # an Original is described where its document is.
        typed = list(store.quads_for_pattern(node, _TYPE, None))
        quads = typed or [*store.quads_for_pattern(node, None, None), *store.quads_for_pattern(None, _DERIVED, node)]
        graphs = [node.value, *(q.graph_name.value for q in quads if isinstance(q.graph_name, NamedNode))]
        segments = {segment for graph in graphs if (segment := document_segment(graph)) is not None}
        return next((self._files[segment] for segment in sorted(segments) if segment in self._files), "")

    def _line(self, node: NamedNode) -> int:
        spans = [node, *(quad.object for quad in self._store.quads_for_pattern(node, _QUOTED, None))]
        found = []
        for span in spans:
            if not isinstance(span, NamedNode):
                continue
            for start in self._store.quads_for_pattern(span, _START, None):
                for source in self._store.quads_for_pattern(span, _SOURCE, None):
                    found.append((source.object, start.object))
        lines = [self._line_of(source, start) for source, start in found]
        return min((line for line in lines if line), default=0)

    def _line_of(self, source: object, start: object) -> int:
        sha256 = source.value.rpartition("sha256-")[2] if isinstance(source, NamedNode) else ""
        value = getattr(start, "value", "")
        if self._originals is None or len(sha256) != 64 or not value.isdigit():
            return 0
        return bisect_right(self._lines(sha256), int(value))

    def _line_starts(self, sha256: str) -> Sequence[int]:
        assert self._originals is not None
        try:
            text = self._originals.read(sha256).decode("utf-8")
        except (Damaged, UnicodeDecodeError):
            return ()  # `oam doctor` reports it; a finding is worth reading without its line
        return [0, *(found.end() for found in re.finditer("\n", text))]


def _value(quad: Quad) -> str:
    return str(getattr(quad.object, "value", ""))


def _owners(iri: str) -> Iterator[str]:
    """The node, then what it is a named part of: ``D#S3.op1`` of ``D#S3``, ``D#rel1`` of ``D``."""
    yield iri
    while "#" in iri:
        dot, mark = iri.rfind("."), iri.rfind("#")
        iri = iri[: max(dot, mark)]
        yield iri


class FilePlaces:
    """Places in RDF files: the line that names the node, at its beginning if there is one."""

    def __init__(self, files: Sequence[Path], here: Path | None = None) -> None:
        self._files = files
        self._here = here
        self._index: dict[str, Place] | None = None

    def find(self, focus: str) -> Place:
        """File and line that name a node; ("", 0) for a blank node."""
        if self._index is None:
            self._index = self._read()
        return self._index.get(focus, ("", 0))

    def _read(self) -> dict[str, Place]:
        first: dict[str, Place] = {}
        anywhere: dict[str, Place] = {}
        for file in self._files:
            text = file.read_text("utf-8", errors="replace")
            prefixes = dict(_PREFIX.findall(text))
            name = self._name(file)
            for number, line in enumerate(text.splitlines(), 1):
                for iri, start in _mentions(line, prefixes):
                    anywhere.setdefault(iri, (name, number))
                    if start == 0:
                        first.setdefault(iri, (name, number))
        return anywhere | first

    def _name(self, file: Path) -> str:
        absolute = file.resolve()
        if self._here is not None and absolute.is_relative_to(self._here):
            return absolute.relative_to(self._here).as_posix()
        return file.as_posix()


def _mentions(line: str, prefixes: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """IRIs that a line of Turtle, N-Quads, RDF/XML or JSON-LD names, with their column from 0."""
    for found in _TOKEN.finditer(line):
        if found[1]:
            yield found[1], found.start()
        elif (found[2] or "") in prefixes:
            yield prefixes[found[2] or ""] + found[3].replace("\\", ""), found.start()
    for found in _ABOUT.finditer(line):
        yield found[1] or found[2], -1
