"""What people do to what is known: withdraw, assess, check, decide; the part of the facade that :class:`KnowledgeBase` offers as
``curation``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import PurePosixPath

from oam_rdf.analysis import assess, execution, flagging, invalidation
from oam_rdf.analysis.assess import Assessed
from oam_rdf.analysis.decide import Ruled, Ruling, decide
from oam_rdf.analysis.execution import Registered
from oam_rdf.analysis.flagging import Flag, Flagged
from oam_rdf.analysis.invalidation import Impact
from oam_rdf.analysis.queue import KINDS, Entry, queue
from oam_rdf.analysis.recording import Executed, record
from oam_rdf.analysis.writing import named
from oam_rdf.ingest.publication import Publication
from oam_rdf.model import VISIBILITIES
from oam_rdf.ontology import Ontology
from oam_rdf.query import epistemic
from oam_rdf.query.epistemic import Claims, StateHistory
from oam_rdf.query.resolve import node
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.originals import Originals

_ALL = VISIBILITIES[-1]
Reads = Callable[[str], AbstractContextManager[Snapshot]]
Writes = Callable[[str, float], AbstractContextManager[Publication]]


class Curation:
    """``reads`` opens the current generation at a clearance, ``writes`` the live store under the lock."""

    def __init__(self, minter: Minter, originals: Originals, reads: Reads, writes: Writes) -> None:
        self.minter, self._originals, self._reads, self._writes = minter, originals, reads, writes

    # -- invalidation ----------------------------------------------------------------------------------------------

    def impact(self, identifier: str, *, clearance: str = _ALL) -> Impact:
        """What rests on an object, with the paths; nothing is written."""
        with self._reads(clearance) as snapshot:
            return invalidation.impact(snapshot.store, node(snapshot, identifier))

    def invalidate(self, identifier: str, *, by: str, reason: str = "", wait: float = 30.0) -> Flagged:
        """Flag what rests on a withdrawn object NEEDS_REVIEW. :raises Refused: if the object still stands."""
        iri = self._iri(identifier)
        with self._writing("invalidate", wait) as live:
            return flagging.apply(live, self.minter, invalidation.impact(live.store, iri), by, reason)

    def undo(self, run: str, *, by: str, wait: float = 30.0) -> Flagged:
        """Take back exactly the flags of one run."""
        with self._writing("invalidate", wait) as live:
            return flagging.undo(live, self.minter, run, by)

    def flags(self, identifier: str, *, clearance: str = _ALL) -> list[Flag]:
        """The flags that stand on an object, with the paths as far as the clearance sees them."""
        with self._reads(clearance) as snapshot:
            return flagging.flags(snapshot.store, node(snapshot, identifier))

    # -- states ----------------------------------------------------------------------------------------------------

    def claims(
        self, about: str = "", filters: Sequence[str] = (), *, limit: int = 50, offset: int = 0, clearance: str = _ALL
    ) -> Claims:
        """Claims by state (see :func:`oam_rdf.query.epistemic.claims`)."""
        with self._reads(clearance) as snapshot:
            return epistemic.claims(snapshot, about, filters, limit=limit, offset=offset)

    def history(self, identifier: str, *, clearance: str = _ALL) -> StateHistory:
        """How an object came to its state."""
        with self._reads(clearance) as snapshot:
            return epistemic.history(snapshot, identifier)

    def set_state(
        self, identifier: str, state: str, *, by: str, reason: str, evidence: Sequence[str] = (), wait: float = 30.0
    ) -> Assessed:
        """Change what an object counts as (see :func:`oam_rdf.analysis.assess.set_state`).

        ``evidence``: ``KIND | OUTCOME | REFERENCE``, or the id of evidence or of another object here.
        """
        ontology = Ontology.load()
        with self._reads(_ALL) as snapshot:
            iri = node(snapshot, identifier)
            given = [assess.written(word, ontology) or node(snapshot, word) for word in evidence]
        with self._writing("epistemic", wait) as live:
            return assess.set_state(live, self.minter, iri, state, agent=by, reason=reason, evidence=given)

    # -- evidence --------------------------------------------------------------------------------------------------

    def check(self, identifier: str, *, clearance: str = _ALL) -> Registered:
        """The check that is registered under an id, with what it would run; nothing is run.

        :raises NotFound: if there is none.
        """
        with self._reads(clearance) as snapshot:
            return execution.registered(snapshot.store, node(snapshot, identifier))

    def check_files(self, check: Registered) -> dict[str, bytes]:
        """The bytes of its files. :raises Refused: if one of them does not have the declared hash."""
        return execution.inputs(check, self._originals)

    def run_check(self, identifier: str, *, by: str, wait: float = 30.0) -> Executed:
        """Run a registered check again in isolation, and record how it ended (see :mod:`oam_rdf.analysis.execution`).

        No state changes; what a pass proposes waits in :meth:`queue`.

        :raises Refused: if one of its files does not have the declared hash.
        :raises FeatureMissing: if this platform cannot isolate a program.
        """
        by = named(by, "running a check")
        found = self.check(identifier)
        files = self.check_files(found)
        outcome = execution.execute(found, files)  # without the lock: it may take its time, and may be killed
        with self._writing("evidence", wait) as live:
            for path, data in files.items():
                self._originals.add(data, PurePosixPath(path).suffix)
            self._originals.add(outcome.output, ".txt")
            return record(live, self.minter, found, outcome, by)

    # -- review ----------------------------------------------------------------------------------------------------

    def queue(self, kinds: Sequence[str] = KINDS, *, decided: bool = False, clearance: str = _ALL) -> list[Entry]:
        """What waits for a person; with ``decided`` what somebody has decided already."""
        with self._reads(clearance) as snapshot:
            waiting = queue(snapshot.store, kinds)
            if not decided:
                return waiting
            keys = {entry.key for entry in waiting}
            return [entry for entry in queue(snapshot.store, kinds, everything=True) if entry.key not in keys]

    def decide(self, rulings: Sequence[Ruling], *, revise: bool = False, wait: float = 30.0) -> Ruled:
        """Write decisions on entries of the queue; all or none. With ``revise`` decided ones may be decided anew."""
        with self._writing("review", wait) as live:
            entries = {entry.key: entry for entry in queue(live.store, everything=revise)}
            return decide(live, self.minter, entries, rulings)

    def _iri(self, identifier: str) -> str:
        with self._reads(_ALL) as snapshot:
            return node(snapshot, identifier)

    @contextmanager
    def _writing(self, verb: str, wait: float) -> Iterator[LiveStore]:
        """The live store under the lock; what was committed is published when the work is done."""
        with self._writes(verb, wait) as publication:
            publication.finish()  # what a killed writer left
            yield publication.live
            publication.finish()
