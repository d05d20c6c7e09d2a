"""A knowledge object as OAM JSON (paper §11), made of the model; what the source wrote otherwise is put back by a patch.

The importer composes the object it has read and keeps the difference to what was written; the exporter composes the object
it finds in the graph and applies that. So both sides must see the same model, and what changes in the graph shows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oam_rdf.model import Evidence, KnowledgeObject, OperatorTag, Relation
from oam_rdf.ontology import Ontology
from oam_rdf.store.json_patch import difference, patched

GROUPS = ("representations", "provenance", "version", "epistemic_status", "access")
#: Keys, a group's with its name before a dot, that an object's own fields give; every other key is kept as it was written.
KNOWN = frozenset({
    "knowledge_object_id", "granularity", "title", "content", "operators", "knowledge_role", "relations", "evidence",
    "statement_kind", "aliases", "representations.language", "representations.sparse_terms",
    "representations.dense_embedding_ref", "provenance.original_document", "provenance.source_spans",
    "provenance.tcf_version", "version.semantic_version", "version.status", "version.valid_from",
    "version.deprecated_at", "epistemic_status.state", "epistemic_status.verification",
    "epistemic_status.claimed_state", "access.visibility",
})  # fmt: skip
_NAME = "oam_json"
_DEFAULT = "SOURCE_CLAIM"
_SCHEMES = {"state": "epistemic-state", "verification": "verification"}
_MIDNIGHT = "T00:00:00Z"

Json = dict[str, Any]


def compose(item: KnowledgeObject, relations: Sequence[Relation]) -> Json:
    """The object with all that is known of it; keys without a value are left out. ``item.id`` is its full id.

    Of ``relations`` that of order 0 names the original document; a verdict "" is one that is not known.
    """
    state, claimed = _state(item)
    tested = item.verification if item.verification != "NOT_TESTED" else ""
    status = item.version_status.lower() if item.version_status != "ACTIVE" else ""
    terms = item.extra.get("representations.sparse_terms", "[]")
    flat: Json = {
        "knowledge_object_id": item.id,
        "granularity": item.granularity.lower(),
        "title": item.title,
        "content": item.content,
        "representations.language": item.language if item.title or item.content else "",
        "representations.sparse_terms": sorted({str(term) for term in json.loads(terms)}),
        "representations.dense_embedding_ref": item.extra.get("representations.dense_embedding_ref", ""),
        "statement_kind": item.kind,
        "knowledge_role": sorted(set(item.roles)),
        "aliases": sorted(set(item.aliases)),
        "operators": [_operator(tag) for tag in item.operators],
        "relations": [relation(each) for each in relations if each.order != 0],
        "provenance.original_document": next((each.target for each in relations if each.order == 0), ""),
        "provenance.source_spans": sorted(set(item.span_labels)),
        "provenance.tcf_version": item.extra.get("provenance.tcf_version", ""),
        "version.semantic_version": item.version,
        "version.status": item.status_label or status,
        "version.valid_from": item.valid_from.removesuffix(_MIDNIGHT),
        "version.deprecated_at": item.deprecated_at.removesuffix(_MIDNIGHT),
        "epistemic_status.state": state,
        "epistemic_status.claimed_state": claimed,
        "epistemic_status.verification": tested or ("NOT_TESTED" if state else ""),
        "evidence": [_evidence(each) for each in item.evidence],
        "access.visibility": (item.visibility or "PUBLIC").lower(),
    }
    for name, written in item.extra.items():
        # As it can be read back from one line of text.
        key, _, value = f"{name}: {written}".partition(": ")
        if key not in KNOWN and key not in GROUPS and not key.startswith("unknown "):
            flat[key] = _value(value)
    nested: Json = {}
    for key, value in flat.items():
        group, dot, inner = key.partition(".")
        if value in ("", []) and key in KNOWN:
            continue
        if dot and group in GROUPS:
            nested.setdefault(group, {})[inner] = value
        else:
            nested[key] = value
    return nested


def relation(item: Relation) -> Json:
    """One entry of ``relations``: the source's own word for the type where the vocabulary has another."""
    entry: Json = {"type": item.source_label or canonical(item.type), "target": item.target}
    if item.confidence is not None:
        entry["confidence"] = number(item.confidence)
    if item.verdict not in ("ok", ""):
        entry["verdict"] = item.verdict
    return entry


def remainder(written: Json, item: KnowledgeObject, relations: Sequence[Relation], unread: Sequence[Any] = ()) -> str:
    """What :func:`compose` would say otherwise than ``written``, as JSON text for ``oam:remainder``; "" if nothing.

    Relations are not in it: each keeps its own remainder, beside the target and never seen without it. ``unread`` are
    ``[place, value]`` of entries of ``relations`` that are none.
    """
    old, new = compose(item, relations), dict(written)
    old.get("epistemic_status", {}).pop("claimed_state", None)  # the export's own remark
    if "relations" in new and ("relations" in old or unread) and isinstance(new["relations"], list):
        del new["relations"]
        old.pop("relations", None)
    group = new.get("provenance")
    if isinstance(group, dict) and isinstance(group.get("original_document"), str) and group["original_document"]:
        _take_original(old)
        new["provenance"] = dict(group)
        _take_original(new)
    kept: Json = {}
    if patch := list(difference(old, new)):
        kept["patch"] = patch
    if unread:
        kept["relations"] = list(unread)
    return json.dumps({_NAME: kept}, ensure_ascii=False) if kept else ""


def restored(item: KnowledgeObject, relations: Sequence[Relation]) -> Json:
    """:func:`compose` with what ``item.remainder`` and those of the relations say of how it was written."""
    value = compose(item, relations)
    listed = [_restored_relation(each) for each in relations if each.order != 0]
    kept = _remainder(item.remainder).get(_NAME, {})
    for place, entry in kept.get("relations", ()):
        listed.insert(place, entry)
    value.pop("relations", None)
    original = _take_original(value)
    judged = value.get("epistemic_status", {})
    patch = [step for step in kept.get("patch", ()) if _holds(step, judged)]
    value = patched(value, patch)
    if listed:
        value["relations"] = listed
    if original:
        value.setdefault("provenance", {})["original_document"] = original
    return dict(value)


def relation_remainder(written: Json, item: Relation) -> str:
    """The same of one relation. Its verdict is kept beside: the graph has none for a target that was not found."""
    kept: Json = {}
    said = {key: value for key, value in written.items() if key != "verdict"}
    if patch := list(difference(relation(replace(item, verdict="")), said)):
        kept["patch"] = patch
    if "verdict" in written:
        kept["verdict"] = written["verdict"]
    return json.dumps({_NAME: kept}, ensure_ascii=False) if kept else ""


def canonical(name: str) -> str:
    """The name of a relation that stands for all names of its property in that direction; unknown names as they are."""
    known = Ontology.load().relations
    if name not in known:
        return name
    return next(
        other for other, each in known.items() if (each.iri, each.inverse) == (known[name].iri, known[name].inverse)
    )


def number(value: float) -> int | float:
    """As the graph keeps it: two digits (decision D14)."""
    rounded = float(f"{value:.2f}")
    return int(rounded) if rounded.is_integer() else rounded


def _take_original(value: Json) -> Any:
    """The original document, taken out of its group; a group that held nothing else goes with it."""
    found = value.get("provenance", {}).pop("original_document", None)
    if found is not None and not value["provenance"]:
        del value["provenance"]
    return found


def _restored_relation(item: Relation) -> Json:
    kept = _remainder(item.remainder).get(_NAME, {})
    entry = dict(patched(relation(item), kept.get("patch", ())))
    # What was written holds unless an audit has decided otherwise since.
    if "verdict" in kept and item.verdict in ("", _meant("verdict", str(kept["verdict"] or "ok")) or "pending"):
        entry["verdict"] = kept["verdict"]
    return entry


def _state(item: KnowledgeObject) -> tuple[str, str]:
    """State, and the state that the source claims where its evidence does not carry it (decision D7)."""
    default = _DEFAULT if item.granularity in ("STATEMENT", "ARGUMENT") else ""  # decision D17
    state, label = item.state or default, item.state_label
    if not state:
        return "", ""
    meant = _meant("epistemic-state", label) if label else state
    if not meant:
        return label, ""  # a word that nobody knows claims nothing
    return state, label if meant != state else ""


def _meant(scheme: str, word: str) -> str:
    """Notation of the concept that a word spells, "" if none: as the importer reads it."""
    forms = (word.strip(), "_".join(word.replace("-", " ").split()))
    found = (Ontology.load().concept(scheme, form) for form in forms)
    return next((concept.notation for concept in found if concept is not None), "")


def _holds(step: Json, judged: Json) -> bool:
    """Whether what was written of an object's state may still be said: nothing may hide what was judged since."""
    group, _, key = step["path"].removeprefix("/").partition("/")
    if group != "epistemic_status" or key not in ("", "state", "verification"):
        return True
    defaults = (_DEFAULT, "NOT_TESTED")
    if step["op"] == "add":
        return True
    if step["op"] == "remove" or not key:
        return all(value in defaults for value in ([judged.get(key)] if key else judged.values()))
    meant = _meant(_SCHEMES[key], str(step["value"]))
    return judged.get(key) == meant if meant else judged.get(key) in (*defaults, str(step["value"]))


def _operator(tag: OperatorTag) -> Json:
    family, _, mode = (tag.source_label or tag.notation).partition(".")
    entry: Json = {"family": family, "mode": mode}
    if tag.parameters:
        pairs = (f"{key}={value}".partition("=") for key, value in sorted(tag.parameters.items()))
        entry["parameters"] = {key: value for key, _, value in pairs}
    entry |= {
        "order": tag.order,
        "confidence": None if tag.confidence is None else number(tag.confidence),
        "annotator": tag.annotator,
        "model_version": tag.model_version,
        "review_status": tag.review_status,
    }
    return {key: value for key, value in entry.items() if value not in ("", None)}


def _evidence(item: Evidence) -> Json:
    return {"kind": item.kind, "outcome": item.outcome, "reference": item.reference}


def _value(text: str) -> Any:
    """Text that is JSON as what it says, other text as it is."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _remainder(text: str) -> Json:
    value = _value(text) if text else {}
    return value if isinstance(value, dict) else {}
