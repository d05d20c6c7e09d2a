"""Does everything on disk agree with everything else? Compares counts and hashes; rebuilds side indexes from RDF."""

from __future__ import annotations

import tokenize
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyoxigraph import NamedNode, Store

from oam_rdf.errors import Damaged, OamError
from oam_rdf.index.base import backend
from oam_rdf.index.dense import DenseIndex
from oam_rdf.index.facets import Facets, granularities
from oam_rdf.index.graph_table import GraphTable
from oam_rdf.index.passages import PassageTable
from oam_rdf.index.tag_table import TagTable
from oam_rdf.ingest.publication import Publication
from oam_rdf.namespaces import OA, OAM, PROV, RDF
from oam_rdf.ontology import Ontology
from oam_rdf.store import publish
from oam_rdf.store.hashing import content_hash, graph_hashes
from oam_rdf.store.layout import Config, Layout
from oam_rdf.store.live import LiveStore
from oam_rdf.store.lock import WriteLock
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals
from oam_rdf.text.lexicon import load_lexicon
from oam_rdf.text.wordlist import words_in_force

_SPANS = f"""
SELECT ?owner ?span ?original ?start ?end ?content WHERE {{
  ?owner <{PROV}wasQuotedFrom> ?span .
  ?span <{OA}hasSource> ?original ; <{OA}start> ?start ; <{OA}end> ?end .
  OPTIONAL {{ ?owner <{OAM}content> ?content }}
}}"""


@dataclass(slots=True)
class Diagnosis:
    """What was checked (name → how many things) and what is wrong."""

    checked: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return {"clean": self.clean, "checked": self.checked, "problems": self.problems, "repaired": self.repaired}


class Doctor:
    """Examines one knowledge base under its write lock."""

    def __init__(self, layout: Layout, config: Config) -> None:
        self.layout = layout
        self.minter = Minter(config.base)
        self.originals = Originals(layout.originals)

    def examine(self, *, repair: bool = False, wait: float = 30.0) -> Diagnosis:
        """Check everything; with ``repair`` publish a generation rebuilt from RDF and Originals where that helps."""
        with WriteLock(self.layout.lock, verb="doctor", wait=wait), LiveStore(self.layout, self.minter) as live:
            return self._examine(live, repair)

    def _examine(self, live: LiveStore, repair: bool) -> Diagnosis:
        publication = Publication(self.layout, live, self.minter, self.originals)
        try:
            finished = publication.finish()
        except Damaged as error:
            if not repair:
                return Diagnosis(problems=[str(error)])
            # CURRENT says nothing that can be used: a generation made anew from the live store takes its place.
            self.layout.current.unlink(missing_ok=True)
            publication.publish(rebuild=True)
            found = self._check(live)
            found.repaired.append(str(error))
            return found
        diagnosis = self._check(live)
        if finished is not None:
            diagnosis.repaired.append(f"published generation {finished}, which a killed writer had left unpublished")
        if repair and diagnosis.problems:
            try:
                publication.publish(rebuild=True)
            except Damaged as error:
                # An Original that was altered cannot be made anew from anything: the old generation stays.
                diagnosis.problems.append(f"nothing was rebuilt: {error}")
                return diagnosis
            after = self._check(live)
            after.repaired = [problem for problem in diagnosis.problems if problem not in after.problems]
            return after
        return diagnosis

    def _check(self, live: LiveStore) -> Diagnosis:
        found = Diagnosis()
        checked, wrong = self.originals.check()
        found.checked["originals"] = checked
        found.problems += [f"{path}: the Original was altered after it was stored" for path in wrong]
        self._spans(live, found)
        number = publish.current_number(self.layout)
        if number is None:
            if live.revision:
                found.problems.append("nothing is published although the store holds committed changes")
            return found
        # Harmless, and removed by the next publication; counted so that nobody wonders about the folder.
        found.checked["unfinished publications"] = len(list(self.layout.published.glob(".new-*")))
        try:
            with publish.open_generation(self.layout, number) as generation:
                self._generation(live, generation, found)
        except OamError as error:
            found.problems.append(str(error))
        return found

    def _spans(self, live: LiveStore, found: Diagnosis) -> None:
        """Every SourceSpan lies inside its Original, and a statement's content is exactly what stands there."""
        texts: dict[str, str] = {}
        parts: dict[str, list[tuple[int, str]]] = {}
        contents: dict[str, str] = {}
        spans = 0
        for row in live.select(_SPANS):
            spans += 1
            sha256 = row["original"].value.rsplit("sha256-", 1)[-1]
            if sha256 not in texts:
                try:
                    texts[sha256] = self.originals.read(sha256).decode("utf-8")
                except (OamError, UnicodeDecodeError) as error:
                    found.problems.append(str(error))
                    texts[sha256] = ""
            start, end = int(row["start"].value), int(row["end"].value)
            if not 0 <= start < end <= len(texts[sha256]):
                found.problems.append(f"<{row['span'].value}>: {start}:{end} lies outside its Original")
            elif row["content"]:
                owner = row["owner"].value
                parts.setdefault(owner, []).append((start, texts[sha256][start:end]))
                contents[owner] = row["content"].value
        for owner, pieces in parts.items():
            # Spans are written in reading order; the header cells of a table row come before the row in the text too.
            if "\n".join(text for _, text in sorted(pieces)) != contents[owner]:
                found.problems.append(f"<{owner}>: its content is not what stands in the Original")
        found.checked["source spans"] = spans

    def _generation(self, live: LiveStore, generation: publish.Generation, found: Diagnosis) -> None:
        manifest, path = generation.manifest, generation.path
        found.checked["derived files"], wrong = publish.altered(path)
        found.problems += wrong
        if generation.revision != live.revision:
            found.problems.append(f"published revision {generation.revision}, live revision {live.revision}")
            return
        snapshot = Store.read_only(str(path / "store"))
        found.checked["quads"] = len(snapshot)
        if found.checked["quads"] != (expected := len(live.store)):
            found.problems.append(f"quads: live {expected}, published {found.checked['quads']}")
        names = [graph.value for graph in live.store.named_graphs() if isinstance(graph, NamedNode)]
        found.checked["graphs"] = len(names)
        if content_hash(graph_hashes(live.store, names)) != manifest["content_hash"]:
            found.problems.append("the content hash of the live store is not the one in the manifest")
        self._lists(found)
        parts = {
            "facets": self._facets, "graph": self._graph, "passages": self._passages, "lexical": self._lexical,
            "dense": self._dense,
        }  # fmt: skip
        for name, check in parts.items():
            try:
                check(live, path, manifest, found)
            except (OamError, OSError, ValueError, KeyError, EOFError, tokenize.TokenError) as error:
                found.problems.append(f"{name}: {error}")

    def _facets(self, live: LiveStore, path: Path, manifest: dict[str, Any], found: Diagnosis) -> None:
        classes = " ".join(f"<{iri}>" for iri in sorted(granularities(Ontology.load())))
        rows = live.select(f"SELECT (COUNT(DISTINCT ?o) AS ?n) WHERE {{ VALUES ?c {{ {classes} }} ?o <{RDF}type> ?c }}")
        objects = int(next(iter(rows))["n"].value)
        columns = Facets.open(path / "facets")
        found.checked["objects"] = objects
        if len(columns) != objects:
            found.problems.append(f"facets: {len(columns)} rows for {objects} objects")

    def _graph(self, live: LiveStore, path: Path, manifest: dict[str, Any], found: Diagnosis) -> None:
        size = len(Facets.open(path / "facets"))
        # Opening proves that both are about these rows, or says what is wrong.
        found.checked["statements about edges"] = len(GraphTable.open(path / "graph", size))
        found.checked["tags"] = len(TagTable.open(path / "tags", size))

    def _passages(self, live: LiveStore, path: Path, manifest: dict[str, Any], found: Diagnosis) -> None:
        passages = PassageTable.open(path / "passages")
        found.checked["passages"] = len(passages)
        if len(passages) != manifest["passages"]:
            found.problems.append(f"passages: {len(passages)} rows, manifest {manifest['passages']}")
        stored = {
            document.id: document.sha256
            for document in Publication(self.layout, live, self.minter, self.originals).documents(0)
        }
        if set(passages.documents) - set(stored):
            found.problems.append("passages of documents that are not in the store")

    def _lexical(self, live: LiveStore, path: Path, manifest: dict[str, Any], found: Diagnosis) -> None:
        passages = PassageTable.open(path / "passages")
        # Opening proves that index and table hold the same passages, or says what differs.
        chosen = backend(str(manifest.get("lexical", "whoosh")))
        if not (path / chosen.folder).is_dir():
            chosen = backend("whoosh")  # published where the other one's package was absent
        chosen.open(path / chosen.folder, passages).close()
        found.checked["lexical passages"] = len(passages)

    def _dense(self, live: LiveStore, path: Path, manifest: dict[str, Any], found: Diagnosis) -> None:
        if not (path / "dense").is_dir():
            return
        vectors = DenseIndex.open(path / "dense", PassageTable.open(path / "passages"))
        found.checked["vectors"] = int(vectors.embedded.sum())
        if unsound := vectors.unsound():
            found.problems.append(f"dense: {unsound} vectors are not of norm 1: run `oam reindex`")
        engine = vectors.engine
        found.checked["vectors in neighbour graphs"] = engine.in_graphs
        # Without a graph all is exact, only slower; a package that is absent is told by `oam status`.
        if engine.damaged:
            found.problems.append(f"dense: {engine.damaged}")

    def _lists(self, found: Diagnosis) -> None:
        """What the keeper of the knowledge base writes for its words: nothing here can be made anew."""
        if reason := load_lexicon(self.layout.synonyms).problems.get("synonyms"):
            found.problems.append(f"synonyms: {reason}")
        reason = words_in_force(self.layout.words).sources.get("words.txt", "")
        if reason.startswith("absent: "):
            found.problems.append(f"words: {reason.removeprefix('absent: ')}")
