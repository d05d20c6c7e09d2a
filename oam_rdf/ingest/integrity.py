"""Hashes that documents state of other things, compared with those things where all documents of a run are known.

What a file says stays its claim; what is computed here is recorded as our own check. Bytes are read below the ingest root
only, and only to be hashed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from pyoxigraph import Literal, NamedNode

from oam_rdf.ingest.candidate import Candidate, pack
from oam_rdf.ingest.parse import EXTENSIONS
from oam_rdf.ingest.references import References
from oam_rdf.ingest.report import IngestReport
from oam_rdf.model import HashClaim, Issue, ParsedDocument
from oam_rdf.namespaces import OAM, PROV
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter

_SHA256 = re.compile("[0-9a-f]{64}")
_READ = (".json", ".jsonl", ".ndjson")  # what readers that give hashes read


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a document that a hash is claimed of: its Original's hash, its own hashes, its events."""

    path: str
    original: str
    named: frozenset[str]
    events: int


@dataclass(slots=True)
class Integrity:
    """Checks the candidates of one run against each other, the store and the files beside them."""

    live: LiveStore
    minter: Minter
    references: References
    report: IngestReport
    _known: dict[str, _Known] = field(default_factory=dict)

    def check(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """The candidates that may land, with the hashes that were found.

        A strict difference refuses the document that states the hash, naming what it is of and both hashes; any other is a
        warning. What is not there is said and stops nothing.
        """
        candidates = list(candidates)
        stating: list[tuple[Candidate, ParsedDocument]] = []
        for candidate in candidates:
            if candidate.file.path.lower().endswith(_READ):
                document = candidate.document()
                self._known[self.minter.document(document.id)] = _described(document)
                if any(claim.kind != "own" for claim in document.hashes):
                    stating.append((candidate, document))
        wanted = {name for _, document in stating for name in self._named(document)}
        for candidate in candidates if wanted else ():
            iri = self.minter.document(candidate.id)
            if iri in wanted and iri not in self._known:
                self._known[iri] = _described(candidate.document())
        refused = {id(candidate) for candidate, document in stating if not self._compare(candidate, document)}
        return [candidate for candidate in candidates if id(candidate) not in refused]

    def _named(self, document: ParsedDocument) -> Iterator[str]:
        for claim in document.hashes:
            if claim.kind in ("original", "named", "events"):
                iri = self.references.resolve(claim.target)
                if iri:
                    yield iri.split("#", 1)[0]

    def _compare(self, candidate: Candidate, document: ParsedDocument) -> bool:
        claims, issues, absent = [], [], []
        for claim in document.hashes:
            found = self._found(candidate, claim)
            claims.append(replace(claim, found=found) if found else claim)
            if not found and claim.kind == "file":
                absent.append(claim.target)
            if not found or found == claim.sha256:
                continue
            message, hint = _difference(claim, found)
            if claim.strict and candidate.kind != "relinked":
                self.report.refuse(candidate.file.path, "hash-mismatch", message, claim.line, hint)
                return False
            issues.append(Issue("warning", "hash-mismatch", message, candidate.file.path, claim.line, hint))
        if absent:
            files = len([claim for claim in document.hashes if claim.kind == "file"])
            message = (
                f"{len(absent)} of {files} files that it gives hashes of are not in the folder, the first {absent[0]!r}"
            )
            issues.append(
                Issue("note", "absent-file", message, candidate.file.path, 0, "these hashes were not checked")
            )
        if candidate.kind == "relinked":  # what it lacks was said when it landed
            issues = [issue for issue in issues if issue.severity != "note"]
        candidate.issues = (*candidate.issues, *issues)
        candidate.packed = pack(replace(document, hashes=tuple(claims)))
        return True

    def _found(self, candidate: Candidate, claim: HashClaim) -> str:
        """The hash (for ``events`` the number) that the thing has here, "" if it is not here."""
        if claim.kind == "own":
            return claim.found
        if claim.kind == "file":
            path = beside(candidate.file.root, candidate.file.path, claim.target)
            return _digest(path) if path else ""
        known = self._document(self.references.resolve(claim.target))
        if known is None:
            return ""
        if claim.kind == "original":
            return known.original
        if claim.kind == "events":
            return str(known.events)
        return claim.sha256 if claim.sha256 in known.named else ", ".join(sorted(known.named))

    def _document(self, iri: str | None) -> _Known | None:
        if iri is None:
            return None
        iri = iri.split("#", 1)[0]
        if iri not in self._known:
            known = self._stored(iri)
            if known is None:
                return None
            self._known[iri] = known
        return self._known[iri]

    def _stored(self, iri: str) -> _Known | None:
        store, subject = self.live.store, NamedNode(iri)
        originals = [
            quad.object.value.rpartition("/original/sha256-")[2]
            for quad in store.quads_for_pattern(subject, NamedNode(PROV + "wasDerivedFrom"), None)
            if isinstance(quad.object, NamedNode) and "/original/sha256-" in quad.object.value
        ]
        if not originals:
            return None
        aliases = [
            quad.object.value
            for quad in store.quads_for_pattern(subject, NamedNode(OAM + "alias"), None)
            if isinstance(quad.object, Literal)
        ]
        kind = NamedNode(OAM + "activityKind")
        nodes = {
            quad.subject
            for quad in store.quads_for_pattern(None, kind, None)
            if isinstance(quad.subject, NamedNode) and quad.subject.value.startswith(f"{iri}#")
        }
        return _Known(iri, originals[0], frozenset(filter(_SHA256.fullmatch, aliases)), len(nodes))


def _described(document: ParsedDocument) -> _Known:
    named = frozenset(alias for alias in document.document.aliases if _SHA256.fullmatch(alias))
    return _Known(document.path, document.sha256, named, sum(1 for node in document.nodes if node.kind))


def _difference(claim: HashClaim, found: str) -> tuple[str, str]:
    if claim.kind == "events":
        more = int(found) > int(claim.sha256)
        what = "goes on past" if more else "ends early: it verifies, and it stops before"
        return (f"the log {claim.target!r} {what} what {claim.name} says: {found} events, not {claim.sha256}",
                "fetch the whole log, or the results that belong to it")  # fmt: skip
    if claim.kind == "named":
        return (f"{claim.name} says sha256 {claim.sha256}, {claim.target!r} here is {found or 'of no known hash'}",
                "the record is about another version of it: fetch both from one place")  # fmt: skip
    return (f"{claim.name} says sha256 {claim.sha256}, {claim.target!r} here has {found}",
            "one of the two was changed: fetch it again, or correct the hash")  # fmt: skip


def beside(root: Path, path: str, claimed: str) -> Path | None:
    """The file that a document at ``path`` means by the path ``claimed``, None if it is not below ``root``.

    A path with folders is looked for below each folder above the document, nearest first, then by ever shorter ends of it
    in the document's own folder; a bare name, or the bare end of a path, only beside the document, and the latter only for
    what is no document itself: another README is not the one that was meant.
    """
    parts = PurePosixPath(claimed.replace("\\", "/")).parts
    if not parts or PurePosixPath(claimed).is_absolute() or ".." in parts or "\0" in claimed or ":" in parts[0]:
        return None
    base = root.resolve()
    folder = PurePosixPath(path).parent
    wanted: list[PurePosixPath] = []
    if len(parts) > 1:
        wanted += [above.joinpath(*parts) for above in (folder, *folder.parents)]
        wanted += [folder.joinpath(*parts[at:]) for at in range(1, len(parts) - 1)]
    if len(parts) == 1 or PurePosixPath(parts[-1]).suffix.lower().removeprefix(".") not in EXTENSIONS:
        wanted.append(folder / parts[-1])
    for one in dict.fromkeys(wanted):
        try:
            found = (base / one).resolve()
            if found.is_relative_to(base) and found.is_file():
                return found
        except OSError:  # a name that is too long, a loop of links
            continue
    return None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
