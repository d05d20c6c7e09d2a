"""Edge verdict files out of the graph (formats.md, "In" 4 and "Out")."""

from __future__ import annotations

import json
from typing import Any

from pyoxigraph import NamedNode, Store

from oam_rdf.namespaces import OAM, SCHEMES
from oam_rdf.store import tcf_form
from oam_rdf.store.document_facts import DocumentFacts, as_file, only_document
from oam_rdf.store.minter import Minter
from oam_rdf.store.selection import Selection
from oam_rdf.store.tcf_form import Json


def verdicts(store: Store, minter: Minter, document_id: str) -> Json:
    """The audits that a document records; of a document that records none, those that judge its own relations.

    :raises NotFound: when there is no such document.
    """
    facts = DocumentFacts(store, minter, document_id)
    own = sorted(facts.of_type("EdgeAudit"), key=lambda node: facts.number(node, "order") or 0)
    remainder = _remainder(facts.text(facts.iri, OAM + "remainder")) if own else {}
    if not own and facts.text(facts.iri, OAM + "about") == "" and not list(facts.of_type("Relation")):
        remainder = _remainder(facts.text(facts.iri, OAM + "remainder"))
    audited: Json = {}
    for node in own:
        audited[_key(facts.text(node, OAM + "auditSource"), facts.text(node, OAM + "auditTarget"))] = _audit(
            facts, node
        )
    for node in () if own else facts.of_type("Relation"):
        decided = facts.text(node, OAM + "decidedBy")
        if decided:
            audited |= _deciding(store, decided, facts, node)
    rows = remainder.get("rows", {}).get("audited", {})
    return tcf_form.restored({"audited": audited | rows}, remainder)


def dump(selection: Selection) -> bytes:
    """The one document that is selected, as a file. :raises UsageError: for none or several: each has a file of its own."""
    return as_file(verdicts(selection.store, selection.minter, only_document(selection)))


def _key(source: str, target: str) -> str:
    return f"{source}->{target}"


def _remainder(written: str) -> Json:
    return dict(json.loads(written)) if written else {}


def _audit(facts: DocumentFacts, node: str) -> Json:
    verdict = facts.text(node, OAM + "auditVerdict") or facts.text(node, OAM + "verdict")
    said: dict[str, Any] = {"verdict": verdict.removeprefix(SCHEMES["verdict"])}
    if reason := facts.text(node, OAM + "reason"):
        said["reason"] = reason
    turn = facts.number(node, "round")
    if turn is not None:
        said["round"] = turn
    return tcf_form.restored(
        said, _remainder(facts.text(node, OAM + "remainder")) if node in facts.of_type("EdgeAudit") else {}
    )


def _deciding(store: Store, audit: str, facts: DocumentFacts, node: str) -> Json:
    """The pair as the audit writes it, with what the relation has of it."""
    ends = {}
    for name in ("auditSource", "auditTarget"):
        quads = store.quads_for_pattern(NamedNode(audit), NamedNode(OAM + name), None, None)
        ends[name] = next((quad.object.value for quad in quads), "")  # type: ignore[union-attr]
    return {_key(ends["auditSource"], ends["auditTarget"]): _audit(facts, node)}
