"""Ledgers of claims and of gaps (formats.md, "In", 9): each entry a statement with its status as the source writes it.

A status is mapped to the axes and never upgraded: a ledger's own "PROVED_IN_…" without stored evidence is the source's claim
(decision D7). A gap is an open question, or one that was closed; only an open one is unresolved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, text, word
from oam_rdf.ingest.shapes.hashed import digest_of
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.states import settle
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import Evidence, ParsedDocument

_WORDS = ("statement", "claim", "description", "title", "text", "question")
# What the words of a status claim, the strongest reading first; "not" and "un" before one undo it.
_CLAIMED = (
    (re.compile(r"(?<!UN)(?<!NOT_)(?<!DIS)\bPROVE[DN]|PROOF_COMPLETE|FORMALLY"), "FORMALLY_PROVED"),
    (re.compile(r"(?<!UN)(?<!NOT_)MACHINE_?CHECKED|(?<!NOT_)LEAN_VERIFIED"), "MACHINE_CHECKED"),
    (re.compile(r"(?<!UN)(?<!NOT_)\bREPRODUCED|REPLICATED"), "REPRODUCED"),
    (re.compile(r"REFUTED|DISPROVE[DN]|FALSIFIED"), "REFUTED"),
    (re.compile(r"CONJECTURE"), "CONJECTURE"),
    (re.compile(r"HYPOTHESI"), "HYPOTHESIS"),
    (re.compile(r"^DEFINITION|^DEFINED"), "DEFINITION"),
    (re.compile(r"(?<!NOT_)DERIVED"), "DERIVED"),
    (re.compile(r"^OPEN|UNRESOLVED|UNPROVE[DN]|NOT_PROVE[DN]|UNKNOWN"), "UNRESOLVED"),
)
_HAN_CLAIMED = (("未證", "UNRESOLVED"), ("未证", "UNRESOLVED"), ("猜想", "CONJECTURE"), ("假說", "HYPOTHESIS"),
                ("假说", "HYPOTHESIS"), ("已證", "FORMALLY_PROVED"), ("已证", "FORMALLY_PROVED"))  # fmt: skip


def entries(rows: Rows) -> Iterator[tuple[dict[str, Any], int, str]]:
    """The ledger entries of a file with their lines and the key of the list that they stand in ("" = none)."""
    for value, line in rows:
        if not isinstance(value, dict):
            continue
        if "claim_id" in value or "gap_id" in value:
            yield value, line, ""
            continue
        for key in ("claims", "gaps"):
            for entry in rows_of(value.get(key)):
                if isinstance(entry, dict) and ("claim_id" in entry or "gap_id" in entry):
                    yield entry, line, key


def is_ledger(rows: Rows) -> bool:
    """Whether the file has entries with a ``claim_id`` or ``gap_id``: alone, in a list, on lines, or under claims or gaps."""
    return any(True for _ in entries(rows))


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The ledger as a document, each entry a statement under its own id."""
    build = Builder(source, profile, [value for value, _ in rows], rows[0][1])
    seen: dict[str, int] = {}
    for entry, line, _ in entries(rows):
        _entry(build, entry, line, seen)
    for value, line in rows:
        kept = {key for key in ("claims", "gaps") if key in mapping(value)}
        if isinstance(value, dict) and not ("claim_id" in value or "gap_id" in value or kept):
            build.issue("not-an-entry", "an object that is neither claim nor gap", line=line, hint="kept as a field")
        elif not isinstance(value, dict):
            build.issue("not-an-entry", f"a {type(value).__name__} where an entry should be", line=line,
                        hint="kept as a field")  # fmt: skip
    around = mapping(rows[0][0]) if len(rows) == 1 else {}
    whole = "claim_id" in around or "gap_id" in around
    return build.document(
        "" if whole else word(around.get("id") or around.get("ledger_id")),
        source.stem if whole else word(around.get("title")) or source.stem, extra=_rest(rows),
    )  # fmt: skip


def _rest(rows: Rows) -> dict[str, str]:
    """What stands around the entries, or between them and is none."""
    if len(rows) == 1:
        value = rows[0][0]
        if not isinstance(value, dict) or "claim_id" in value or "gap_id" in value:
            return {}
        kept = {f"{key}.{n}" for key in ("claims", "gaps") if isinstance(value.get(key), list)
                for n, e in enumerate(value[key]) if isinstance(e, dict) and ("claim_id" in e or "gap_id" in e)}  # fmt: skip
        kept |= {key for key in ("claims", "gaps") if isinstance(value.get(key), dict)}
        left = {k: v for k, v in value.items() if k not in ("claims", "gaps") or not isinstance(v, list)
                or any(f"{k}.{n}" not in kept for n in range(len(v)))}  # fmt: skip
        return leaves(left, kept) if left else {}
    other = [value for value, _ in rows
             if not isinstance(value, dict) or not ({"claim_id", "gap_id", "claims", "gaps"} & value.keys())]  # fmt: skip
    return leaves({"other": other}) if other else {}


def _entry(build: Builder, entry: dict[str, Any], line: int, seen: dict[str, int]) -> None:
    gap = "gap_id" in entry and "claim_id" not in entry
    identifier = word(entry.get("gap_id" if gap else "claim_id"))
    key = next((k for k in _WORDS if text(entry.get(k))), "")
    words = text(entry.get(key)) if key else ""
    at = build.place(identifier) if identifier else line
    if not identifier:
        build.issue("no-id", "an entry whose id is empty", line=at, hint="give it one")
    elif identifier in seen:
        build.issue("duplicate-id", f"{identifier!r} stands on line {seen[identifier]} already", line=at,
                    hint="both are kept; give one of them another id")  # fmt: skip
    seen.setdefault(identifier, at)
    status = word(entry.get("status"))
    evidence = tuple(_evidence(build, entry, at))
    claimed = _gap_state(status) if gap else claimed_state(status, build.profile)
    settled = settle(claimed, "", evidence, build.profile, file=build.source.path, line=at)
    build.source.issues.extend(settled.issues)
    if status and not claimed:
        build.issue("unknown-label", f"unknown status {status!r} of {identifier}", line=at, hint="kept as written")
    formal = entry.get("formalized")
    said = {"FORMALLY_PROVED", "MACHINE_CHECKED", "REPRODUCED"}
    local = build.statement(
        identifier or "entry", words or identifier or "entry", line=at, author_id=identifier if identifier not in
        {o.author_id for o in build.objects} else "", kind="QUESTION" if gap else "", state=settled.state,
        state_label=status, status_label=status,
        verification=settled.verification or ("SOURCE_CLAIMED" if claimed in said else ""), evidence=evidence,
        axes={"formality": "INFORMAL"} if formal is False else {"formality": "FORMAL"} if formal is True else {},
        extra=leaves(entry, {key, "status"} if key else {"status"}) if set(entry) - {key, "status"} else {},
    )  # fmt: skip
    for name, kind in (("depends_on", "depends_on"), ("claim_id", "related_to"), ("blocks", "required_by")):
        for target in rows_of(entry.get(name)) if not (name == "claim_id" and not gap) else ():
            build.relate(local, kind, word(target), line=at)


def claimed_state(status: str, profile: Profile) -> str:
    """The epistemic state that the words of a status claim, "" if they claim none that is known."""
    known = profile.word("epistemic-state", status) if status else ""
    if known:
        return known
    spelt = re.sub(r"[\s\-]+", "_", status.upper())
    for pattern, state in _CLAIMED:
        if pattern.search(spelt):
            return state
    return next((state for part, state in _HAN_CLAIMED if part in status), "")


def _gap_state(status: str) -> str:
    folded = status.casefold()
    return (
        "UNRESOLVED" if folded.startswith(("open", "reopened", "未", "開放", "开放")) or not folded else "SOURCE_CLAIM"
    )


def _evidence(build: Builder, entry: dict[str, Any], line: int) -> Iterator[Evidence]:
    for item in rows_of(entry.get("evidence")):
        kind = notation("evidence-kind", word(mapping(item).get("kind") or mapping(item).get("evidence_type")))
        outcome = build.profile.word("outcome", word(mapping(item).get("outcome") or mapping(item).get("status")))
        reference = next((word(mapping(item).get(k)) for k in ("reference", "id", "doi", "url", "path")
                          if word(mapping(item).get(k))), "")  # fmt: skip
        if kind and outcome and reference:
            yield Evidence(kind, outcome, reference)
        elif item not in ("", None):
            said = text(item) if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
            hash_of = digest_of(item) if isinstance(item, str) else ""
            build.issue("unknown-label", f"evidence {hash_of or said!r} gives no kind with an outcome", line=line,
                        hint="kept as a field; it changes no state")  # fmt: skip
