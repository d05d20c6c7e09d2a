"""Which stored documents would be encoded otherwise now, because of what else arrives: they are encoded again.

Extracts refer to works, concepts and audits that may come later, change or go away. Each question compares what the store
says with what the references of this run say, so the order of arrival decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pyoxigraph import NamedNode

from oam_rdf.ingest.audits import Audits
from oam_rdf.ingest.references import References
from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.store.document_quads import Decision
from oam_rdf.store.live import LiveStore
from oam_rdf.store.minter import Minter

_EXTRACTS = f"""
SELECT ?document ?work WHERE {{
  ?document <{OAM}about> ?id . OPTIONAL {{ ?document <{OAM}derivedFrom> ?work }}
}}"""

_WRITTEN = f"""
SELECT ?graph ?node ?order ?written ?source ?target ?verdict ?audit ?reason ?round WHERE {{
  GRAPH ?graph {{
    ?node <{OAM}order> ?order ; <{OAM}relationSource> ?source .
    {{ ?node <{OAM}writtenAs> ?written }} UNION {{ ?node <{OAM}targetLabel> ?written }}
    OPTIONAL {{ ?node <{OAM}relationTarget> ?target }}
    OPTIONAL {{ ?node <{OAM}verdict> ?verdict }}
    OPTIONAL {{ ?node <{OAM}decidedBy> ?audit }}
    OPTIONAL {{ ?node <{OAM}reason> ?reason }}
    OPTIONAL {{ ?node <{OAM}round> ?round }}
  }}
}}"""

_DECIDED = f"""
SELECT ?graph ?source ?target ?verdict ?audit ?reason ?round WHERE {{
  GRAPH ?graph {{
    ?node <{OAM}decidedBy> ?audit ; <{OAM}relationSource> ?source ; <{OAM}relationTarget> ?target ; <{OAM}verdict> ?verdict .
    OPTIONAL {{ ?node <{OAM}reason> ?reason }}
    OPTIONAL {{ ?node <{OAM}round> ?round }}
    FILTER NOT EXISTS {{ ?node <{OAM}order> ?order }}
  }}
}}"""
_SOURCE, _TARGET, _VERDICT, _ORDER = (
    NamedNode(OAM + name) for name in ("relationSource", "relationTarget", "verdict", "order")
)

#: (ends in order of IRI, verdict, audit, reason, round) as text, "" where there is none.
_Said = tuple[str, str, str, str, str, str]


class Relinking:
    """Asks the store. ``owners`` are the ids of stored documents by their assertion graph, restricted ones included."""

    def __init__(
        self, live: LiveStore, minter: Minter, references: References, audits: Audits, owners: Mapping[str, str]
    ) -> None:
        self.live, self.minter, self.references, self.audits, self.owners = live, minter, references, audits, owners

    def stale(self, arriving: Iterable[str]) -> set[str]:
        """Ids of stored documents to encode again; ``arriving`` are the IRIs of the documents of this run."""
        new = set(arriving)
        return {*self._extracts(new), *self._written(), *self._judged(), *self._contested()}

    def _owner(self, graph: str) -> Iterator[str]:
        # A part that fewer may see has a graph below its document's.
        name = graph if graph in self.owners else graph.rpartition("/")[0]
        if name in self.owners:
            yield self.owners[name]

    def _extracts(self, new: set[str]) -> Iterator[str]:
        """Extracts of a work that arrives, changes or is known by another name now, and who refers to them instead of it."""
        of_document = {self.minter.document(name): name for name in self.owners.values()}
        for row in self.live.select(_EXTRACTS):
            extract = row["document"].value
            work, known = self.references.work(extract), row["work"].value if row["work"] else None
            if extract in of_document and (work != known or (work or "").partition("#")[0] in new):
                yield of_document[extract]
            if work != known:
                for node in (extract, known):
                    yield from self._pointing(node)

    def _contested(self) -> Iterator[str]:
        """Who refers by its title to a document that is not the only one of that title any more."""
        for iri in self.references.contested():
            yield from self._pointing(iri)

    def _pointing(self, iri: str | None) -> Iterator[str]:
        if iri:
            for quad in self.live.store.quads_for_pattern(None, None, NamedNode(iri), None):
                if isinstance(quad.graph_name, NamedNode):
                    yield from self._owner(quad.graph_name.value)

    def _written(self) -> Iterator[str]:
        """Documents that list references which mean something else now, or are judged otherwise."""
        found: dict[tuple[str, str, str], set[_Said]] = {}
        for row in self.live.select(_WRITTEN):
            key = row["graph"].value, row["order"].value, row["written"].value
            found.setdefault(key, set()).add(_said(row))
        for (graph, _, written), said in found.items():
            for owner in self._owner(graph):
                if self._now(owner, written, said) != said:
                    yield owner

    def _now(self, owner: str, written: str, said: set[_Said]) -> set[_Said]:
        """What a reference that ``owner`` lists would be written as now."""
        own = self.minter.document(owner)
        source = self.references.of_work(own)
        now: set[_Said] = set()
        for target in self.references.concept(written, own):
            if target is None:
                now.add((source, "", "", "", "", ""))
                continue
            decision = self.audits.pairs().get((source, target))
            verdict = "wrong" if target == source else decision.audit.verdict if decision else "pending"
            entry = (*sorted((source, target)), SCHEMES["verdict"] + verdict)
            alone: _Said = (*entry, "", "", "")  # type: ignore[assignment]
            # Where those who may see the relation may not see the audit, its verdict is all that is written of it.
            now.add(alone if decision is None or alone in said else (*entry, *_decided(decision)))  # type: ignore[arg-type]
        return now

    def _judged(self) -> Iterator[str]:
        """Documents with other proposals that audits judge otherwise now."""
        pairs = self.audits.pairs()
        for row in self.live.select(_DECIDED):
            one, other, verdict, *audit = _said(row)
            fits = [pairs[pair] for pair in ((one, other), (other, one)) if pair in pairs]
            if not any(SCHEMES["verdict"] + d.audit.verdict == verdict and _decided(d) == tuple(audit) for d in fits):
                yield from self._owner(row["graph"].value)
        store = self.live.store
        for (source, target), decision in pairs.items():
            for quad in store.quads_for_pattern(None, _TARGET, NamedNode(target), None):
                node, graph = quad.subject, quad.graph_name
                if next(store.quads_for_pattern(node, _ORDER, None, graph), None) or not isinstance(graph, NamedNode):
                    continue
                ends = next(store.quads_for_pattern(node, _SOURCE, NamedNode(source), graph), None)
                verdict = next((q.object.value for q in store.quads_for_pattern(node, _VERDICT, None, graph)), "")  # type: ignore[union-attr]
                said = verdict.removeprefix(SCHEMES["verdict"])
                if ends and said not in ("ok", decision.audit.verdict):
                    yield from self._owner(graph.value)


def _said(row: Any) -> _Said:
    values = [
        row[name].value if row[name] else "" for name in ("source", "target", "verdict", "audit", "reason", "round")
    ]
    ends = sorted(values[:2]) if values[1] else values[:2]
    return (*ends, *values[2:])  # type: ignore[return-value]


def _decided(decision: Decision) -> tuple[str, str, str]:
    audit = decision.audit
    return decision.node, audit.reason, "" if audit.round is None else str(audit.round)
