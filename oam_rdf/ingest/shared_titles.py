"""A title that several files bear is the id of none: nothing says that they are meant to be one document.

"A document's id is its header id, else its title, else its path" (segmentation.md). What is settled here depends on the files
of the run and on what is stored, never on the order in which the files come: of the files of one run that would have the
same id and give none themselves, each takes its path. A stored document keeps the id that it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass

from oam_rdf.index.name_table import TEXTS, NameTable, keys
from oam_rdf.ingest.candidate import Candidate, pack
from oam_rdf.ingest.catalogue import Catalogue, StoredFile
from oam_rdf.ingest.identity import with_id
from oam_rdf.ingest.report import IngestReport
from oam_rdf.ingest.scan import SourceFile
from oam_rdf.model import Issue

_SHOWN = 3  # places that a note names


def place(candidate: Candidate) -> tuple[str, str]:
    """By what candidates are put in order."""
    return candidate.file.path, str(candidate.file.root)


def path_id(file: SourceFile, above: int) -> str:
    """The path of a file as an id, with so many folders above its root."""
    return "/".join((*(file.root.parts[-above:] if above else ()), file.path))


@dataclass(slots=True)
class SharedTitles:
    """Gives path ids to candidates whose title is no id. ``names`` are those of what is stored."""

    catalogue: Catalogue
    names: NameTable
    report: IngestReport

    def settle(self, candidates: Sequence[Candidate]) -> None:
        """Change the ids of the candidates that have none of their own where another file goes by the same title."""
        groups: dict[str, list[Candidate]] = {}
        held: dict[str, str] = {}  # id that stays -> its file
        for candidate in sorted(candidates, key=place):
            if candidate.own_id:
                held.setdefault(candidate.id, candidate.file.path)
            else:
                groups.setdefault(candidate.id, []).append(candidate)
        contenders: list[tuple[Candidate, list[str]]] = []
        copies: list[tuple[Candidate, Candidate]] = []
        for title, group in groups.items():
            first: dict[str, Candidate] = {}
            for candidate in group:
                if first.setdefault(candidate.sha256, candidate) is not candidate:
                    copies.append((candidate, first[candidate.sha256]))
            stored = self._bearers(title)
            for candidate in first.values():
                others = [held[title]] if title in held else []
                others += [other.file.path for other in first.values() if other is not candidate]
                same = [file for file in stored if candidate.previous is None or file.graph != candidate.previous.graph]
                twin = next((file for file in same if file.sha256 == candidate.sha256 and file.there), None)
                if twin is not None:
                    candidate.id = twin.id  # a copy of it: to be skipped
                    continue
                if others or any(file.there or file.id != title for file in same):
                    contenders.append((candidate, others + [file.path for file in same]))
                else:
                    held[title] = candidate.file.path
        self._take_paths(contenders, held)
        for copy, original in copies:
            copy.id = original.id

    def _bearers(self, title: str) -> list[StoredFile]:
        """Stored files with this id, or with this title where their author gave no id; in order of place."""
        found = (
            {self.catalogue.by_id[title].graph: self.catalogue.by_id[title]} if title in self.catalogue.by_id else {}
        )
        for key in keys(title):
            for _, iri in self.names.find(key):
                file = self.catalogue.by_document.get(iri)
                if file and self.catalogue.title(file) == title and self.catalogue.unnamed(file, TEXTS):
                    found[file.graph] = file
        return sorted(found.values(), key=lambda file: (file.path, file.root))

    def _take_paths(self, contenders: Sequence[tuple[Candidate, list[str]]], held: Container[str]) -> None:
        """Paths become ids; those that are the same below two roots, or taken, with as many folders above as it takes."""
        above = [0] * len(contenders)
        while True:
            named = [path_id(one.file, n) for (one, _), n in zip(contenders, above, strict=True)]
            times = Counter(named)
            again = [
                n for n, ((one, _), name) in enumerate(zip(contenders, named, strict=True))
                if (times[name] > 1 or name in held or self._taken(one, name)) and above[n] < len(one.file.root.parts) - 1
            ]  # fmt: skip
            if not again:
                break
            for n in again:
                above[n] += 1
        for (candidate, others), name in zip(contenders, named, strict=True):
            document = candidate.document()
            more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
            self.report.issues.append(
                Issue(
                    "note",
                    "shared-title",
                    f"{candidate.id!r} also stands for {', '.join(others[:_SHOWN])}{more}: the id is {name!r}",
                    file=candidate.file.path,
                    line=document.document.line,
                    hint="a link to what they share means none of them; an id in the header makes one of its own",
                )
            )
            candidate.id = name
            candidate.packed = pack(with_id(document, name, self.catalogue.minter))

    def _taken(self, candidate: Candidate, name: str) -> bool:
        stored = self.catalogue.by_id.get(name)
        return stored is not None and (candidate.previous is None or stored.graph != candidate.previous.graph)
