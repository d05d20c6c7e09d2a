"""A certificate's plan run again, and how the answers differ (retrieval.md, "Certificate").

On the same generation and at the same clearance the ranking must be the same; on the present one the difference is what
has changed since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oam_rdf.query.answer import Answer
from oam_rdf.query.search import replay
from oam_rdf.query.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Move:
    """A result that stands elsewhere now; positions count from 1."""

    id: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Replay:
    """``generation`` is the certificate's, ``on`` the one that was searched now (0: it is gone, ``kept`` names those that
    are not). ``gone`` are results that are not there any more. ``degraded`` names channels that are off now and were not,
    or the other way round."""

    retrieval_id: str
    generation: int
    on: int
    kept: tuple[int, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    moved: tuple[Move, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    verdicts: tuple[str, str] = ("", "")
    degraded: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether order and verdict are the same."""
        return bool(self.on) and self.before == self.after and self.verdicts[0] == self.verdicts[1]

    def to_json(self) -> dict[str, Any]:
        return {
            "retrieval_id": self.retrieval_id,
            "generation": self.generation,
            "on": self.on or None,
            "kept": list(self.kept),
            "same": self.same,
            "before": list(self.before),
            "after": list(self.after),
            "moved": [{"id": move.id, "before": move.before, "after": move.after} for move in self.moved],
            "new": list(self.new),
            "gone": list(self.gone),
            "verdicts": list(self.verdicts),
            "degraded": list(self.degraded),
        }


def run_again(snapshot: Snapshot, certificate: Mapping[str, Any], plan: Mapping[str, Any] | None = None) -> Replay:
    """Run the certificate's plan on a snapshot, which must be of its clearance, and compare.

    :param plan: the whole plan, where the certificate repeats only the beginning of its query.
    """
    answer = replay(snapshot, certificate, plan)
    before = [_key(result) for result in certificate["results"]]
    after = [_key(result) for result in answer.certificate["results"]]
    off = set(certificate.get("degraded", {})) ^ set(answer.degraded)
    return Replay(
        retrieval_id=str(certificate["retrieval_id"]),
        generation=int(certificate["generation"]),
        on=snapshot.generation.number,
        before=tuple(before),
        after=tuple(after),
        moved=tuple(_moves(certificate, answer, before, after)),
        new=tuple(key for key in after if key not in before),
        gone=tuple(key for key in before if key not in after),
        verdicts=(str(certificate.get("gate", {}).get("verdict", "")), answer.verdict),
        degraded=tuple(sorted(off)),
    )


def _moves(certificate: Mapping[str, Any], answer: Answer, before: Sequence[str], after: Sequence[str]) -> list[Move]:
    old = {key: int(result["position"]) for key, result in zip(before, certificate["results"], strict=True)}
    new = {key: result.position for key, result in zip(after, answer.results, strict=True)}
    return [Move(key, old[key], new[key]) for key in after if key in old and old[key] != new[key]]


def _key(result: Mapping[str, Any]) -> str:
    """What tells a result from others: an old text of an object is not the object."""
    old = result.get("historical")
    return f"{result['id']} ({old['version']})" if old else str(result["id"])
