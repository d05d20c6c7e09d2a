"""``external_refs`` of TCF-lite: proposals of an extractor, pending until an audit accepts them (formats.md, 3 and 4)."""

from __future__ import annotations

from typing import Any

from oam_rdf.ingest.json_places import Places
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import relation
from oam_rdf.model import Quote, Relation
from oam_rdf.store import tcf_form


def external_refs(source: Source, written: dict[str, Any], places: Places) -> tuple[list[Relation], dict[str, Any]]:
    """The references as relations of the work, and by place the members of the list that are none."""
    found: list[Relation] = []
    rows: dict[str, Any] = {}
    members = written.get("external_refs")
    for place, entry in enumerate(members if isinstance(members, list) else ()):
        target = entry.get("target") if isinstance(entry, dict) else None
        if not isinstance(target, str) or not target.strip():
            rows[str(place)] = entry
            source.issue(
                "bad-relation", f"external_refs[{place}] has no target", hint='write {"target": "P-02", "type": "uses"}',
                line=places.line("external_refs", place, "target"),
            )  # fmt: skip
        else:
            found.append(_relation(source, entry, target, place, places))
    return found, rows


def _relation(source: Source, entry: dict[str, Any], target: str, place: int, places: Places) -> Relation:
    said: dict[str, Any] = {"target": target}
    name = entry.get("type")
    known, label = "related_to", ""
    if isinstance(name, str) and name.strip():
        known = relation(name) or "related_to"
        if not relation(name):
            source.issue("unknown-label", f"unknown relation {name!r}", line=places.line("external_refs", place, "type"),
                         hint="kept as a pending relation with its word")  # fmt: skip
        label, said["type"] = "" if tcf_form.canonical(known) == name else name, name
    else:
        said["type"] = known
    evidence = entry.get("evidence")
    quote = Quote(evidence) if isinstance(evidence, str) and evidence.strip() else None
    if quote:
        said["evidence"] = quote.text
    value = entry.get("confidence")
    sure = tcf_form.confidence(value)
    if sure is not None:
        said["confidence"] = sure
    elif value is not None and _bad(value):
        source.issue("bad-confidence", f"confidence {value!r} is no number in [0, 1]", hint="kept, and not used",
                     line=places.line("external_refs", place, "confidence"))  # fmt: skip
    elif value is not None:
        sure = float(value) + 0.0  # no -0: the graph keeps two digits, the remainder all of them
        said["confidence"] = float(f"{sure:.2f}")
    return Relation(
        "", known, target, places.line("external_refs", place, "target"),
        confidence=sure, verdict="pending", source_label=label, quote=quote, order=place,
        remainder=tcf_form.text_of(tcf_form.difference(entry, said)), of_work=True, concept=True,
    )  # fmt: skip


def _bad(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1
