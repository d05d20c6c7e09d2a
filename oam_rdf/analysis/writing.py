"""What everything that people write has in common: who, when, in which graphs, and the line in the log."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from pyoxigraph import Literal, NamedNode, Quad, Store

from oam_rdf.errors import UsageError
from oam_rdf.namespaces import PROV, RDFS, concept
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter
from oam_rdf.store.places import Place, unveiled
from oam_rdf.store.terms import ASSOCIATED, TYPE, moment, n, oam, text

_ENDED, _AGENT, _LABEL = n(PROV + "endedAtTime"), n(PROV + "Agent"), n(RDFS + "label")


def now() -> str:
    """The time, UTC, in microseconds, as xsd:dateTime text."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def digest(*parts: str) -> str:
    """Sixteen hex digits of what something is made of."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def named(agent: str, what: str) -> str:
    """The agent's name, cleaned. :raises UsageError: if nobody is named: somebody has to answer for it."""
    if not agent.strip():
        raise UsageError(f"{what} needs somebody who answers for it", hint="name them: --by NAME")
    return agent.strip()


@dataclass(slots=True)
class Change:
    """Quads to take away and to put in, and the documents that they concern."""

    store: Store
    minter: Minter
    gone: set[Quad] = field(default_factory=set)
    new: dict[Quad, None] = field(default_factory=dict)
    places: set[tuple[str, str]] = field(default_factory=set)

    def add(self, where: Place, quads: Iterable[Quad]) -> None:
        """Put quads into graphs of a document, with the visibility of graphs that are not there yet."""
        if where.document not in self.places or where.level:
            self.new |= dict.fromkeys(unveiled(self.store, where))
        self.places.add(where.document)
        self.new |= dict.fromkeys(quads)

    def take(self, where: Place, quads: Iterable[Quad]) -> None:
        self.places.add(where.document)
        self.gone |= set(quads)

    def merge(self, other: Change) -> None:
        """Make another change part of this one."""
        self.gone |= other.gone
        self.new |= other.new
        self.places |= other.places

    def activity(
        self,
        where: Place,
        run: str,
        kind: str,
        agent: str,
        at: str,
        *,
        used: str = "",
        reason: str = "",
        label: str = "",
    ) -> None:
        """The activity behind a change, told of in the provenance graph of one document."""
        graph, node, who = n(where.provenance), n(run), n(self.minter.agent(agent))
        quads = [
            Quad(node, TYPE, n(PROV + "Activity"), graph),
            Quad(node, oam("activityKind"), n(concept("activity-kind", kind)), graph),
            Quad(node, ASSOCIATED, who, graph),
            Quad(node, _ENDED, moment(at), graph),
            Quad(who, TYPE, _AGENT, graph),
            Quad(who, _LABEL, text(agent), graph),
        ]
        if used:
            quads.append(Quad(node, n(PROV + "used"), n(used), graph))
        if reason:
            quads.append(Quad(node, oam("reason"), text(reason), graph))
        if label:
            quads.append(Quad(node, oam("sourceLabel"), text(label), graph))
        self.add(where, quads)

    def commit(self, live: LiveStore, line: str) -> int:
        """Land the change as one revision, with a line in the log; returns the revision."""
        gone = [quad for quad in self.gone if quad not in self.new and quad in self.store]
        revision = live.amend(gone, list(self.new), self.places)
        with live.layout.log.open("a", encoding="utf-8") as file:
            file.write(f"- {now()} {line}: revision {revision}\n")
        return revision


def values(store: Store, node: NamedNode, predicate: NamedNode) -> list[str]:
    """Values of a property in all graphs, as text, sorted."""
    found = store.quads_for_pattern(node, predicate, None, None)
    return sorted({quad.object.value for quad in found if isinstance(quad.object, NamedNode | Literal)})


def one(found: Sequence[str]) -> str:
    """The first of several values, "" if there is none."""
    return found[0] if found else ""
