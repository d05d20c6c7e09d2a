"""OCME knowledge objects and evidence objects (formats.md, "In", 7).

A knowledge object states a theorem or a definition and says what it rests on and how far its checks reach. An evidence
object is a check of one: named by the hash of its content, with a scope. A finite check never becomes a proof (D7): only a
passed formal proof *verifies* its subject, any other check *tests* it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.language import tag
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, text, word
from oam_rdf.ingest.shapes.hashed import check_digest, digest_of, own_hash
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.states import settle
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import Evidence, HashClaim, ParsedDocument, ProvNode

_FINITE = frozenset({"finite_computational_check", "counterexample_search", "property_check"})
_KINDS = {
    "theorem": "THEOREM",
    "definition": "DEFINITION",
    "axiom": "AXIOM",
    "lemma": "LEMMA",
    "conjecture": "CONJECTURE",
}
_STATES = {"DEFINITION": "DEFINITION", "CONJECTURE": "CONJECTURE"}


def is_object(rows: Rows) -> bool:
    """Knowledge objects, one or JSON Lines: a schema version and type, titles and a statement by language."""
    return bool(rows) and all(
        isinstance(value, dict) and {"id", "type", "statement", "titles"} <= value.keys()
        and isinstance(value["statement"], dict) and isinstance(value["titles"], dict)
        for value, _ in rows
    )  # fmt: skip


def is_evidence(rows: Rows) -> bool:
    """An evidence object: what sort of check of what, its status, its scope."""
    value = rows[0][0] if len(rows) == 1 and isinstance(rows[0][0], dict) else {}
    return {"evidence_type", "subject_id", "claim_scope", "status"} <= value.keys()


def _said(value: Any, language: str = "") -> str:
    """A text given by language: in ``language`` if it is there, else the first."""
    if not isinstance(value, dict):
        return text(value)
    found = [text(part) for key, part in value.items() if key == language] + [
        text(part) for key, part in value.items() if tag(str(key))
    ]
    return next((part for part in found if part), "")


# -- knowledge objects -----------------------------------------------------------------------------------------------


def objects(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """One object is the document; of several each is a part of it, so that an older copy never answers for its object."""
    lines = source.path.rpartition(".")[2].lower() in ("jsonl", "ndjson")
    if len(rows) == 1 and not lines:
        return _object(source, profile, *rows[0])
    build = Builder(source, profile, [value for value, _ in rows], rows[0][1])
    for value, line in rows:
        language = tag(word(value.get("language"))) or build.language
        identifier, statement = word(value["id"]), _said(value["statement"], language)
        kind = _KINDS.get(word(value["type"]).casefold(), "")
        if statement:
            build.statement(identifier, statement, line=line, kind=kind, language=language,
                            version=word(value.get("version")), extra=leaves(value, {f"statement.{language}"}))  # fmt: skip
        else:
            build.section(identifier, _said(value["titles"], language), line=line, extra=leaves(value))
    return build.document("", source.stem)


def _object(source: Source, profile: Profile, value: dict[str, Any], line: int) -> ParsedDocument:
    build = Builder(source, profile, value, line)
    language = tag(word(value.get("language"))) or build.language
    build.language = language
    title = _said(value["titles"], language)
    others = tuple(text(part) for key, part in value["titles"].items() if key != language and text(part))
    kind = _KINDS.get(word(value["type"]).casefold(), "")
    used: set[str] = set()
    statement = _said(value["statement"], language)
    evidence = mapping(value.get("verification"))
    state = _STATES.get(kind, "")
    for number, proof in enumerate(rows_of(value.get("proofs"))):
        argument = _proof(build, number, mapping(proof), used)
        # A given argument makes it derived; whether it convinces is not for the importer to say (D7).
        state = "DERIVED" if argument and not state else state
    conditions = tuple(_assumptions(build, rows_of(value.get("assumptions")), language, used))
    if statement:
        at = build.place(statement)
        build._at = 0  # the statement stands before its assumptions
        build.statement("statement", statement, line=at, kind=kind, state=state, language=language,
                        conditions=conditions, formula=word(mapping(value.get("formula")).get("tex")))  # fmt: skip
        used |= {f"statement.{key}" for key, part in value["statement"].items() if text(part) == statement}
    limits = tuple(_limits(build, value, used))
    if statement:
        build.amend("statement", exceptions=limits)
    for number, entry in enumerate(rows_of(value.get("dependencies"))):
        target = word(mapping(entry).get("id") if isinstance(entry, dict) else entry)
        label = word(mapping(entry).get("type") or mapping(entry).get("relation"))
        known = notation("relation", label) or label if label else "depends_on"
        if not target:
            build.issue("bad-relation", f"dependencies.{number} names no object", hint="kept as a field")
            continue
        build.relate("", known if label else "depends_on", target, line=build.place(target))
    for reference in rows_of(evidence.get("evidence_refs")):
        target = word(mapping(reference).get("id") if isinstance(reference, dict) else reference)
        # Whether it passed is the evidence's to say.
        build.relate("", "tested_by", target, line=build.place(target))
    summary = _said(value.get("summary"), language)
    return build.document(
        word(value["id"]), title, lead=summary or statement or title, language=language, aliases=others, kind=kind,
        state=state, version=word(value.get("version")),
        created=build.moment(mapping(value.get("provenance")).get("created_at"), "created_at"),
        extra=leaves(value, used),
    )  # fmt: skip


def _assumptions(build: Builder, entries: list[Any], language: str, used: set[str]) -> list[str]:
    found = []
    for number, entry in enumerate(entries):
        words = _said(entry, language)
        if words:
            name = word(mapping(entry).get("id")) or f"a{number + 1}"
            found.append(build.statement(name, words, author_id=name))
            used |= {f"assumptions.{number}.{key}" for key, part in mapping(entry).items() if text(part) == words}
    return found


def _proof(build: Builder, number: int, proof: dict[str, Any], used: set[str]) -> bool:
    """A proof that the source gives in words, as a statement of its own; False if it only names one."""
    for key, part in proof.items():
        if key.startswith("summary") and (words := _said(part)):
            name = word(proof.get("id")) or f"proof-{number + 1}"
            build.statement(name, words, author_id=name, status_label=word(proof.get("status")))
            used.add(f"proofs.{number}.{key}")
            return True
    return False


def _limits(build: Builder, value: dict[str, Any], used: set[str]) -> Iterator[str]:
    """How far the claim does not reach, each warning a statement; their local ids."""
    for key, part in mapping(value.get("verification")).items():
        if key.startswith("warning") and text(part):
            used.add(f"verification.{key}")
            yield build.statement("limit", text(part))
    for number, companion in enumerate(rows_of(value.get("computational_companions"))):
        warning = text(mapping(companion).get("warning"))
        if warning:
            used.add(f"computational_companions.{number}.warning")
            yield build.statement("limit", warning)


# -- evidence objects ------------------------------------------------------------------------------------------------


def evidence(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The evidence object as a document that tests or verifies its subject.

    :raises ParseError: if its id, its digest and its content do not have one hash.
    """
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    identifier = word(value.get("id"))
    _addressed(build, value, identifier)
    kind = notation("evidence-kind", word(value["evidence_type"]))
    if not kind:
        build.issue("unknown-label", f"unknown evidence type {word(value['evidence_type'])!r}", hint="kept as a field")
    outcome = profile.word("outcome", word(value["status"]))
    if not outcome:
        build.issue("unknown-label", f"unknown outcome {word(value['status'])!r}", hint="counts as inconclusive")
    scope = mapping(value["claim_scope"])
    universal = scope.get("universal_proof") if isinstance(scope.get("universal_proof"), bool) else None
    if universal and kind in _FINITE:
        build.issue("finite-not-universal", f"a {kind} calls itself a universal proof: it is not", severity="warning",
                    hint="the source's word is kept as a field")  # fmt: skip
        universal = None
    producer = mapping(value.get("producer"))
    name = " ".join(filter(None, (word(producer.get("id")), word(producer.get("version")))))
    reference = f"{identifier or source.stem} ({name})" if name else identifier or source.stem
    found: tuple[Evidence, ...] = ()
    if kind:
        found = (Evidence(kind, outcome or "inconclusive", reference,
                          quantification=word(scope.get("quantification")), universal=universal),)  # fmt: skip
    proved = kind == "formal_proof" and outcome == "passed" and universal is not False
    settled = settle("FORMALLY_PROVED" if proved else "", "", found, profile, file=source.path, line=line)
    verification = settled.verification or "SOURCE_CLAIMED"
    used = _claims(build, scope, value, state=settled.state, verification=verification, evidence=found)
    agents = ((name, "VERIFIER"),) if name else ()
    node = build.names.take("verification")
    build.nodes.append(ProvNode(node, kind="verification", outcome=outcome, agents=agents, line=line))
    subject = word(value["subject_id"])
    at = build.place(subject)
    build.relate("", "verifies" if proved else "tests", subject, line=at, event=node)
    if outcome == "passed" and kind and not proved:
        build.relate("", "supports", subject, line=at)
    for entry in rows_of(value.get("sources")):
        path, stated = word(mapping(entry).get("path")), digest_of(mapping(entry).get("sha256"))
        if path and stated:
            build.hashes.append(HashClaim("file", "sources", stated, target=path, line=build.place(stated)))
    title = f"{word(value['evidence_type'])}: {subject}"
    lead = next((o.content for o in build.objects), title)
    return build.document(identifier, title, lead=lead, state=settled.state, verification=verification, evidence=found,
                          status_label=word(value["status"]), extra=leaves(value, used))  # fmt: skip


def _claims(build: Builder, scope: dict[str, Any], value: dict[str, Any], **claim: Any) -> set[str]:
    """What exactly was checked, and what that does not show; returns the paths that were read."""
    used, made = set(), []
    for key, part in scope.items():
        if key.startswith("statement") and text(part):
            made.append(build.statement("claim", text(part), **claim))
            used.add(f"claim_scope.{key}")
    limits = []
    for number, part in enumerate(rows_of(value.get("limitations"))):
        if text(part):
            limits.append(build.statement(f"limit-{number + 1}", text(part)))
            used.add(f"limitations.{number}")
    for local in made:
        build.amend(local, exceptions=tuple(limits))
    return used


def _addressed(build: Builder, value: dict[str, Any], identifier: str) -> None:
    """Content-addressed: id, digest and content must agree."""
    digest = mapping(value.get("digest"))
    stated = digest_of(digest.get("canonical_payload_sha256"))
    named = digest_of(identifier.rpartition("evidence-")[2])
    if named and stated and named != stated:
        raise ParseError(f"the id says sha256 {named}, the digest says {stated}",
                         place=build.source.place(build.place(stated)), hint="correct one of the two")  # fmt: skip
    if stated or named:
        computed = own_hash(value, {"id", "digest"}, ascii_only=False)
        check_digest(build, "digest.canonical_payload_sha256" if stated else "id", stated or named, computed)
    else:
        build.issue(
            "no-hash", "this evidence names no hash of its content: it was not checked", hint="give it a digest"
        )
