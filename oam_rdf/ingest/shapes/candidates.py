"""Research candidates of a 3M folder: proposal, verification, independent review and supersession (formats.md, "In", 8).

Each file is a record of one event and nothing more: a verified candidate is not a reviewed one, and neither is promoted.
The candidate goes by the hash of its manifest, which is how the other records name it.
"""

from __future__ import annotations

from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, text, word
from oam_rdf.ingest.shapes.hashed import check_own, digest_of
from oam_rdf.ingest.shapes.release import artifacts, of_family
from oam_rdf.ingest.source import Source
from oam_rdf.model import Evidence, HashClaim, ParsedDocument, ProvNode

_OUTCOME = {True: "passed", False: "failed"}


def _one(rows: Rows) -> dict[str, Any]:
    return rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) else {}


def is_candidate(rows: Rows) -> bool:
    """A candidate's manifest: its id, its status, the hash of itself."""
    return {"candidate_id", "manifest_sha256", "status"} <= _one(rows).keys()


def is_verification(rows: Rows) -> bool:
    """What a run found of a candidate."""
    return {"candidate_id", "candidate_manifest_sha256", "verification_sha256"} <= _one(rows).keys()


def is_review(rows: Rows) -> bool:
    """What an independent review found of a candidate."""
    return {"candidate_id", "candidate_manifest_sha256", "review_sha256"} <= _one(rows).keys()


def is_supersession(rows: Rows) -> bool:
    """That one manifest replaced another."""
    return {"superseded_manifest_sha256", "replacement_manifest_sha256"} <= _one(rows).keys()


def is_correction(rows: Rows) -> bool:
    """A list of such replacements with its reason."""
    value = _one(rows)
    return isinstance(value.get("replacements"), list) and any(
        isinstance(r, dict) and "superseded_manifest_sha256" in r for r in value["replacements"]
    )


def is_audit(rows: Rows) -> bool:
    """An audit of a chain of candidates, entry by entry."""
    value = _one(rows)
    return "audit_sha256" in value and isinstance(value.get("entries"), list)


def candidate(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The manifest as the candidate, put forward by a proposal.

    :raises ParseError: if it does not have the hash that it states.
    """
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    identifier = word(value["candidate_id"])
    own = check_own(build, value, "manifest_sha256")
    created = build.moment(value.get("created_on") or value.get("created_at"), "created_on")
    _event(build, "proposal", created, made=("",))
    for key, kind in (("base_manifest_sha256", "depends_on"), ("prior_candidate_manifest_sha256", "depends_on"),
                      ("supersedes_candidate_manifest_sha256", "supersedes")):  # fmt: skip
        target = digest_of(value.get(key))
        if target:
            build.relate("", kind, target, line=build.place(target))
    artifacts(build, value)
    status = word(value["status"])
    return build.document(
        identifier, identifier, lead=_lead(value, identifier), created=created, status_label=status,
        version_status=profile.word("version-status", status), aliases=tuple(a for a in (own,) if a),
        axes=of_family("MLF"), extra=leaves(value),
    )  # fmt: skip


def verification(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The record of a verification. A sieve over a finite range is a finite check, whatever passes."""
    return _record(source, profile, rows, "verification", "verification_sha256", "finite_computational_check",
                   mapping(rows[0][0].get("verification")).get("valid"), rows[0][0].get("verified_on"))  # fmt: skip


def review(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The record of an independent review."""
    value = rows[0][0]
    return _record(source, profile, rows, "review", "review_sha256", "review", value.get("valid"),
                   value.get("reviewed_on") or value.get("reviewed_at"))  # fmt: skip


def _record(
    source: Source, profile: Profile, rows: Rows, kind: str, hash_key: str, evidence: str, valid: Any, when: Any
) -> ParsedDocument:
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, hash_key)
    candidate_id, manifest = word(value["candidate_id"]), digest_of(value["candidate_manifest_sha256"])
    outcome = _OUTCOME.get(valid, "inconclusive") if isinstance(valid, bool) else "inconclusive"
    if outcome == "inconclusive":
        build.issue("no-outcome", f"this {kind} does not say whether it is valid", hint='write "valid": true or false')
    node = _event(build, kind, build.moment(when, "time"), outcome=outcome, agents=_agents(build, value, kind))
    build.relate("", "verifies" if outcome == "passed" else "tests", manifest, line=build.place(manifest), event=node)
    # Under its name as well: a record of another manifest of the same candidate must be found when that one arrives.
    build.relate("", "mentions", candidate_id, line=build.place(candidate_id))
    build.hashes.append(HashClaim("named", "candidate_manifest_sha256", manifest, target=candidate_id, line=line))
    for key in ("base_manifest_sha256", "prior_candidate_manifest_sha256"):
        target = digest_of(value.get(key))
        if target:
            build.relate("", "cites", target, line=build.place(target))
    name = f"{candidate_id} {kind}"
    reference = f"{name} sha256 {own}" if own else name
    return build.document(
        f"{name} {own[:16]}".strip(), name, lead=_lead(value, name), aliases=tuple(a for a in (own,) if a),
        evidence=(Evidence(evidence, outcome, reference),), verification="SOURCE_CLAIMED",
        axes=of_family("MMR"), extra=leaves(value),
    )  # fmt: skip


def _agents(build: Builder, value: dict[str, Any], kind: str) -> tuple[tuple[str, str], ...]:
    role = {"verification": "VERIFIER", "review": "REVIEWER"}[kind]
    keys = ("verifier", "verified_by", "reviewer", "reviewed_by", "reviewers")
    names = [word(name) for key in keys for name in rows_of(value.get(key))]
    found = tuple((name, role) for name in dict.fromkeys(names) if name)
    if not found:
        build.issue(
            "no-agent", f"this {kind} names nobody who made it", severity="note", hint="recorded without an agent"
        )
    return found


def _event(build: Builder, kind: str, at: str, **more: Any) -> str:
    if not at:
        build.issue("no-time", f"this {kind} has no time", severity="note", hint="recorded without one")
    node = build.names.take(kind)
    build.nodes.append(ProvNode(node, kind=kind, at=at, line=build.line, **more))
    return node


def supersession(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """That a candidate was replaced, as a correction of its own time."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    _event(build, "correction", build.moment(value.get("as_of"), "as_of"))
    old, new = _replaced(build, value)
    build.relate("", "see_also", word(value.get("correction_map")))
    status = word(value.get("status"))
    name = f"supersession of {old}" if old else ""
    return build.document(name, name, lead=_lead(value, f"{old} {new}"), status_label=status, extra=leaves(value))


def correction(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """A map of replacements with its reason as a statement."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    _event(build, "correction", build.moment(value.get("as_of"), "as_of"))
    reason = text(value.get("reason"))
    if reason:
        build.statement("reason", reason)
    for entry in value["replacements"]:
        if isinstance(entry, dict):
            _replaced(build, entry)
        else:
            build.issue("not-a-replacement", f"a {type(entry).__name__} where a replacement should be")
    for key in ("pre_repair_audit_sha256", "post_repair_audit_sha256", "base_manifest_sha256"):
        target = digest_of(value.get(key))
        if target:
            build.relate("", "cites", target, line=build.place(target))
    return build.document("", source.stem, status_label=word(value.get("status")), extra=leaves(value, {"reason"}))


def _replaced(build: Builder, entry: dict[str, Any]) -> tuple[str, str]:
    old, new = (digest_of(entry.get(f"{part}_manifest_sha256")) for part in ("superseded", "replacement"))
    if not old or not new:
        build.issue("no-hash", "a replacement without the hashes of both manifests", hint="64 hex digits each")
    else:
        node = build.nodes[0].id if build.nodes else ""
        build.relate("", "superseded_by", new, line=build.place(old), subject=old, event=node)
    return old, new


def audit(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """An audit of a chain: what it found of each candidate."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, "audit_sha256")
    valid = value.get("valid")
    outcome = _OUTCOME.get(valid, "inconclusive") if isinstance(valid, bool) else "inconclusive"
    node = _event(build, "verification", build.moment(value.get("as_of"), "as_of"), outcome=outcome)
    for entry in value["entries"]:
        target = digest_of(mapping(entry).get("candidate_manifest_sha256"))
        if not target:
            build.issue("no-hash", "an entry of the audit names no manifest")
            continue
        at, sound = build.place(target), mapping(entry).get("valid")
        build.relate("", "verifies" if sound is True else "tests", target, line=at, event=node)
        if sound is False:
            build.relate("", "critiques", target, line=at)
    base = digest_of(value.get("base_manifest_sha256"))
    build.relate("", "cites", base)
    name = f"{source.stem} audit"
    return build.document(
        f"{name} {own[:16]}".strip(), name, aliases=tuple(a for a in (own, source.path) if a),
        evidence=(Evidence("finite_computational_check", outcome, f"{name} sha256 {own}".strip()),),
        axes=of_family("MMR"), extra=leaves(value),
    )  # fmt: skip


def _lead(value: dict[str, Any], name: str) -> str:
    said = (
        word(value.get(key)) for key in ("schema", "status", "dataset_id", "revision_reason", "as_of", "created_on")
    )
    return "\n".join(part for part in (name, *said) if part)
