"""What an edit replaced: copies named ``id@HASH`` in a store of their own (segmentation.md, "An edited Original").

The history store is written before the live store and is addressed by content, so a kill in between leaves at most copies
that nothing points to, and doing it again writes the same copies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.namespaces import OAM, PAV, PROV, RDF, XSD, concept
from oam_rdf.store.layout import Layout
from oam_rdf.store.live import open_store
from oam_rdf.store.minter import Minter

_DATE = NamedNode(XSD + "dateTime")
_PREVIOUS = NamedNode(PAV + "previousVersion")
_VERSION_OF = NamedNode(OAM + "versionOf")
_TYPE = NamedNode(RDF + "type")


class History:
    """Writer of ``kb/history``; opened by the holder of the write lock."""

    def __init__(self, layout: Layout, minter: Minter) -> None:
        self.minter = minter
        layout.history.mkdir(parents=True, exist_ok=True)
        self.store = open_store(layout.history)

    def keep(
        self,
        document_id: str,
        old: list[Quad],
        new: Iterable[Quad],
        *,
        original: str,
        committed_from: str,
        committed_until: str,
        previous: str,
        visibility: str,
    ) -> tuple[str, list[tuple[str, str]]]:
        """Copy the document and every object of it that changed or went away.

        ``old`` and ``new`` are the quads of its assertion and assessment graphs, ``previous`` the copy that the live
        document pointed to so far, ``visibility`` the narrowest that any part of it had: who may not see that part may not
        see the old text, which holds it. Returns the document's copy and (live object, its copy) of what still lives.
        """
        graph = NamedNode(self.minter.graph(document_id, "history"))
        before, after = _described(old), _described(new)
        document = self.minter.document(document_id)
        copies: dict[str, str] = {}
        for subject, triples in before.items():
            if subject == document or (_is_object(triples) and triples != after.get(subject)):
                mark = original[:12] if subject == document else _digest(triples)
                copies[subject] = f"{subject}@{mark}"
        quads: list[Quad] = []
        for subject, copy in copies.items():
            owned = _owned(subject, before) if subject != document else before[subject]
            node = NamedNode(copy)
            for predicate, value in sorted(owned, key=str):
                quads.append(Quad(node, predicate, value, graph))
            quads.append(Quad(node, _TYPE, NamedNode(OAM + "HistoricalVersion"), graph))
            quads.append(Quad(node, _VERSION_OF, NamedNode(subject), graph))
            quads.append(
                Quad(node, NamedNode(PROV + "wasDerivedFrom"), NamedNode(self.minter.original(original)), graph)
            )
            quads.append(Quad(node, NamedNode(OAM + "committedFrom"), Literal(committed_from, datatype=_DATE), graph))
            quads.append(Quad(node, NamedNode(OAM + "committedUntil"), Literal(committed_until, datatype=_DATE), graph))
            if visibility != "PUBLIC":
                level = NamedNode(concept("visibility", visibility))
                quads.append(Quad(node, NamedNode(OAM + "visibility"), level, graph))
        if previous:
            quads.append(Quad(NamedNode(copies[document]), _PREVIOUS, NamedNode(previous), graph))
        self.store.extend(quads)
        self.store.flush()
        living = [(subject, copy) for subject, copy in sorted(copies.items()) if subject in after]
        return copies[document], living


def _described(quads: Iterable[Quad]) -> dict[str, set[tuple[NamedNode, NamedNode | Literal]]]:
    """Subject -> its (predicate, value) pairs, without the span links: moved characters are no change of the object."""
    found: dict[str, set[tuple[NamedNode, NamedNode | Literal]]] = {}
    for quad in quads:
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode | Literal):
            found.setdefault(quad.subject.value, set()).add((quad.predicate, quad.object))
    return found


def _is_object(triples: set[tuple[NamedNode, NamedNode | Literal]]) -> bool:
    kinds = {OAM + name for name in ("Document", "Section", "Argument", "Statement")}
    return any(
        predicate == _TYPE and isinstance(value, NamedNode) and value.value in kinds for predicate, value in triples
    )


def _owned(
    subject: str, before: dict[str, set[tuple[NamedNode, NamedNode | Literal]]]
) -> set[tuple[NamedNode, NamedNode | Literal]]:
    """The object's own triples with its span's offsets folded in, so that the copy can be read in its old Original."""
    triples = set(before[subject])
    for node in (f"{subject}.span", f"{subject}#span"):
        triples |= {pair for pair in before.get(node, set()) if pair[0] != _TYPE}
    return triples


def _digest(triples: set[tuple[NamedNode, NamedNode | Literal]]) -> str:
    lines = "\n".join(sorted(f"{predicate} {value}" for predicate, value in triples))
    return hashlib.sha256(lines.encode()).hexdigest()[:12]
