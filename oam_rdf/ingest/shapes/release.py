"""The governance records of a 3M release: manifest of the data, promotion receipt, release, citation, conformance results.

Promotion comes from a promotion receipt and from nothing else: a release that calls itself stable promotes no candidate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes import event_chain
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, word
from oam_rdf.ingest.shapes.hashed import check_own, digest_of
from oam_rdf.ingest.source import Source
from oam_rdf.model import HashClaim, ParsedDocument, ProvNode


def of_family(notation: str) -> dict[str, str]:
    """The axis that says to which 3M family a record belongs: MLF, MMLC or MMR."""
    return {"artifactFamily": notation}


def _one(rows: Rows) -> dict[str, Any]:
    return rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) else {}


def is_dataset(rows: Rows) -> bool:
    """A manifest of a data set: its shards and the hash of itself."""
    value = _one(rows)
    return {"dataset_id", "manifest_sha256", "shards"} <= value.keys() and "candidate_id" not in value


def is_receipt(rows: Rows) -> bool:
    """A promotion receipt."""
    return {"promotion_id", "receipt_sha256", "candidate_manifest_sha256"} <= _one(rows).keys()


def is_release(rows: Rows) -> bool:
    """A release manifest: a release with the check sums of its files."""
    return {"release_id", "payload_checksums"} <= _one(rows).keys()


def is_citation(rows: Rows) -> bool:
    """A citation of a data set, bound to its manifest."""
    return {"citation_id", "citation_sha256"} <= _one(rows).keys()


def is_conformance(rows: Rows) -> bool:
    """Results of the conformance checks of a release."""
    return {"release_id", "conformance"} <= _one(rows).keys()


def bindings(build: Builder, value: dict[str, Any], keys: Iterable[str], kind: str = "cites") -> None:
    """Relations to whatever goes by the hashes under ``keys``."""
    for key in keys:
        target = digest_of(value.get(key))
        if target:
            build.relate("", kind, target, line=build.place(target))


def artifacts(build: Builder, value: dict[str, Any]) -> None:
    """Hashes of the files that a manifest lists as its shards."""
    for number, shard in enumerate(rows_of(value.get("shards"))):
        path, stated = word(mapping(shard).get("file_path")), digest_of(mapping(shard).get("file_sha256"))
        if path and stated:
            build.hashes.append(HashClaim("file", "file_sha256", stated, target=path, line=build.place(stated)))
        else:
            build.issue("no-hash", f"shards.{number} has no path with a hash", hint="its file was not checked")


def dataset(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The data set under its manifest. :raises ParseError: if the manifest does not have the hash that it states."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, "manifest_sha256")
    bindings(build, value, ("source_candidate_manifest_sha256", "source_manifest_sha256"), "derived_from")
    governance = mapping(value.get("governance"))
    bindings(build, {**governance, **value}, ("promotion_receipt_sha256", "provenance_graph_sha256", "citation_sha256"))
    artifacts(build, value)
    version = word(value.get("schema_version"))
    name = f"{word(value['dataset_id'])} {version}".strip()
    created = build.moment(value.get("created_at"), "created_at")
    return build.document(
        name, name, version=version, created=created, aliases=tuple(a for a in (own,) if a), axes=of_family("MLF"),
        extra=leaves(value),
    )  # fmt: skip


def receipt(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The receipt of a promotion, with its reviewers and its time."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, "receipt_sha256")
    reviewers = list(dict.fromkeys(word(name) for name in rows_of(value.get("reviewers")) if word(name)))
    threshold, count = value.get("approval_threshold"), value.get("approval_count")
    if isinstance(threshold, int) and len(reviewers) < threshold:
        build.issue("no-quorum", f"{threshold} approvals are needed, {len(reviewers)} reviewers are named")
    if isinstance(count, int) and count != len(rows_of(value.get("reviewers"))):
        build.issue("no-quorum", f"{count} approvals are counted, {len(rows_of(value.get('reviewers')))} are listed")
    at = build.moment(value.get("promoted_at"), "promoted_at")
    agents = tuple((name, "REVIEWER") for name in reviewers)
    build.nodes.append(ProvNode(build.names.take("promotion"), kind="promotion", author_id=word(value["promotion_id"]),
                                at=at, agents=agents, line=line))  # fmt: skip
    manifest = digest_of(value["candidate_manifest_sha256"])
    build.relate("", "promotes", manifest, line=build.place(manifest), event="promotion")
    bindings(build, value, ("proposal_sha256",))
    identifier = word(value["promotion_id"])
    return build.document(
        identifier, identifier, lead="\n".join((identifier, *reviewers)), created=at,
        aliases=tuple(a for a in (own,) if a), axes=of_family("MMLC"), extra=leaves(value),
    )  # fmt: skip


def release(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The release, with the hashes of its files. Its signature needs a key that no file holds: said, not checked."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, "document_sha256")
    for path, stated in mapping(value["payload_checksums"]).items():
        if digest_of(stated):
            build.hashes.append(HashClaim("file", "payload_checksums", digest_of(stated), target=path, line=line))
    if any("signature" in key for key in value):
        build.issue("unchecked-signature", "the signature was not checked: the key is not among the files",
                    severity="note", hint="what it signs is checked by its hash")  # fmt: skip
    bindings(build, value, ("stable_dataset_manifest_sha256", "candidate_manifest_sha256", "promotion_receipt_sha256",
                            "provenance_graph_sha256", "citation_sha256"))  # fmt: skip
    identifier, status = word(value["release_id"]), word(value.get("status"))
    return build.document(
        identifier, identifier, version=word(value.get("version")), status_label=status,
        version_status=profile.word("version-status", status) if status else "",
        created=build.moment(value.get("created_at") or value.get("date"), "created_at"),
        aliases=tuple(a for a in (own,) if a), axes=of_family("MMLC"), extra=leaves(value),
    )  # fmt: skip


def citation(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """How the data set is cited, bound to what it cites."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    own = check_own(build, value, "citation_sha256")
    bindings(build, value, ("manifest_sha256", "promotion_receipt_sha256", "provenance_graph_sha256"))
    return build.document(
        word(value["citation_id"]), word(value.get("title")), lead=word(value.get("preferred_citation")),
        created=build.moment(value.get("issued_at"), "issued_at"), aliases=tuple(a for a in (own,) if a),
        creators=tuple(filter(None, (word(value.get("publisher")),))), axes=of_family("MLF"), extra=leaves(value),
    )  # fmt: skip


def conformance(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The results as the source sums them up; how many checks there were is compared with the log of the release."""
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    identifier, found = word(value["release_id"]), mapping(value["conformance"])
    passed, count = found.get("passed"), found.get("check_count")
    outcome = (
        {True: "passed", False: "failed"}.get(passed, "inconclusive") if isinstance(passed, bool) else "inconclusive"
    )
    node = build.names.take("verification")
    build.nodes.append(ProvNode(node, kind="verification", outcome=outcome, line=line))
    build.relate("", "tests", identifier, event=node)
    chain = event_chain.name_of(identifier)
    build.relate("", "cites", chain)
    if isinstance(count, int) and not isinstance(count, bool):
        build.hashes.append(HashClaim("events", "conformance.check_count", str(count), target=chain, line=line))
    bindings(build, value, ("stable_manifest_sha256", "candidate_manifest_sha256", "promotion_receipt_sha256",
                            "provenance_graph_sha256", "citation_sha256"))  # fmt: skip
    name = f"{identifier} conformance"
    return build.document(name, name, lead="\n".join(mapping(found.get("checks"))) or name, axes=of_family("MMR"),
                          extra=leaves(value))  # fmt: skip
