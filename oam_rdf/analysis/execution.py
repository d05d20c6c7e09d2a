"""Running a registered check again, and recording how it ended (decisions D6, D7; formats.md, "In", 8).

A document that came with a corpus may say how its check is run (``oam:Procedure``). Nothing of it runs until a person names
the document. Every file is compared with its hash first, the program runs inside walls (:mod:`oam_rdf.analysis.sandbox`), and
what is recorded is one execution: an activity with its times, outcome and reason, and a piece of evidence. Only a pass becomes
evidence of the claim; a run that failed says nothing against it. No state changes: a pass may propose one.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pyoxigraph import Store

from oam_rdf import __version__
from oam_rdf.analysis import sandbox
from oam_rdf.analysis.proposals import PASSED
from oam_rdf.analysis.writing import now, one, values
from oam_rdf.errors import FeatureMissing, NotFound, Refused
from oam_rdf.model import Procedure
from oam_rdf.store import procedure_codec
from oam_rdf.store.originals import Originals, digest
from oam_rdf.store.places import place
from oam_rdf.store.terms import IDENTIFIER, TESTS, n, oam

FAILED, INCONCLUSIVE = "failed", "inconclusive"
#: Exit status of a program that could not decide, as test harnesses have it for a test that was skipped.
UNDECIDED = 77
_ROOT, _PATH = oam("ingestRoot"), oam("sourcePath")


@dataclass(frozen=True, slots=True)
class Registered:
    """A check that can be run: the document ``iri`` that declares it, its id, what it tests, and the node of its procedure.

    ``folder`` is where its files lie, if they still lie there, and ``root`` the folder that none of them may leave.
    """

    iri: str
    id: str
    claims: tuple[str, ...]
    node: str
    procedure: Procedure
    root: Path | None = None
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended; times are xsd:dateTime text, ``output`` is what was printed."""

    outcome: str
    reason: str
    output: bytes
    started: str
    ended: str
    software: tuple[str, ...] = (f"oam-rdf-{__version__}", f"python-{platform.python_version()}")

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.output).hexdigest()


def registered(store: Store, iri: str) -> Registered:
    """The check that a document declares, or that belongs to a procedure.

    :raises NotFound: if it declares none.
    :raises Refused: if what it declares could not be run.
    """
    owner = n(iri)
    nodes = values(store, owner, procedure_codec.HAS)
    if not nodes:
        owners = [q.subject.value for q in store.quads_for_pattern(None, procedure_codec.HAS, owner, None)]  # type: ignore[union-attr]
        nodes, owner = ([iri], n(min(owners))) if owners else ([], owner)
    if not nodes:
        raise NotFound(
            "nothing here declares how it is run", place=iri, hint="declare it in a JSON file: docs/evidence.md"
        )
    if len(nodes) > 1:
        raise Refused(f"it declares {len(nodes)} procedures", place=iri, hint="name one: " + ", ".join(nodes))
    procedure = procedure_codec.read(store, n(nodes[0]))
    where = place(store, owner.value)
    document = n(where.document[0]) if where else owner
    root, path = one(values(store, document, _ROOT)), one(values(store, document, _PATH))
    folder = Path(root, PurePosixPath(path).parent) if root and path else None
    return Registered(
        owner.value, one(values(store, owner, IDENTIFIER)) or owner.value, tuple(values(store, owner, TESTS)), nodes[0],
        procedure, Path(root) if folder else None, folder,
    )  # fmt: skip


def inputs(check: Registered, originals: Originals) -> dict[str, bytes]:
    """The bytes of the declared files: as they lie beside the declaration, else as an earlier run kept them.

    :raises Refused: for a file that has another hash or is nowhere, naming it.
    """
    found: dict[str, bytes] = {}
    for path, sha256 in check.procedure.inputs:
        data = _beside(check, path)
        if data is None:
            if originals.find(sha256) is None:
                raise Refused(
                    f"the input {path!r} (sha256 {sha256}) is not here", place=check.id,
                    hint=f"put it into {check.folder or 'the folder of the declaration'}",
                )  # fmt: skip
            data = originals.read(sha256)
        if digest(data) != sha256:
            raise Refused(
                f"the input {path!r} was altered: expected sha256 {sha256}, found {digest(data)}", place=check.id,
                hint="nothing was run; restore the file, or register the check anew with the new hash",
            )  # fmt: skip
        found[path] = data
    return found


def _beside(check: Registered, path: str) -> bytes | None:
    if check.root is None or check.folder is None:
        return None
    try:
        file = (check.folder / path).resolve()
        return file.read_bytes() if file.is_relative_to(check.root.resolve()) and file.is_file() else None
    except OSError:
        return None


def execute(check: Registered, files: Mapping[str, bytes]) -> Outcome:
    """Run it. Nothing is written anywhere.

    :raises FeatureMissing: if this platform cannot keep a program in, with the reason.
    """
    reason = sandbox.isolation()
    if reason:
        raise FeatureMissing(f"programs cannot be isolated here: {reason}", hint="nothing was run")
    procedure, started = check.procedure, now()
    try:
        ended = sandbox.run(procedure.command[1:], files, seconds=procedure.seconds, memory=procedure.memory)
    except sandbox.NotIsolated as error:
        raise FeatureMissing(f"programs cannot be isolated here: {error}", hint="nothing was run") from error
    outcome, reason = _judged(procedure, ended)
    return Outcome(outcome, reason, ended.output, started, now())


def _judged(procedure: Procedure, ended: sandbox.Ended) -> tuple[str, str]:
    found = digest(ended.output)
    if ended.stopped:
        return FAILED, ended.stopped
    if ended.status == UNDECIDED:
        return INCONCLUSIVE, f"it ended with exit status {UNDECIDED}: not decided"
    if ended.status:
        last = next((line for line in reversed(ended.errors.splitlines()) if line.strip()), "")
        return FAILED, f"it ended with exit status {ended.status}" + (f": {last.strip()[:300]}" if last else "")
    if found != procedure.output:
        return FAILED, f"it printed something else: expected sha256 {procedure.output}, found {found}"
    return PASSED, "it printed what was expected"
