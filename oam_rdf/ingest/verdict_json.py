"""Edge verdict files (formats.md, "In" 4): ``{"audited": {"A->B": {"verdict": "ok", "reason": "…", "round": 1}}}``.

A file is a document of its own. Its audits are looked up whenever a document with proposed relations is encoded, so they
outlive every re-ingest of either side (:mod:`oam_rdf.ingest.audits`).
"""

from __future__ import annotations

import hashlib
from typing import Any

from oam_rdf.ingest import visibility
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.language import detect
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import DOCUMENT, Audit, KnowledgeObject, ParsedDocument, Passage
from oam_rdf.store import tcf_form

ARROW = "->"


def fits(rows: Rows) -> bool:
    """Whether the values of a file are one object of audits."""
    value = rows[0][0] if len(rows) == 1 else None
    return isinstance(value, dict) and isinstance(value.get("audited"), dict)


def parse(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The verdicts as a document named after the file. ``rows`` are the file's values with their lines."""
    (value, line), *_ = rows
    audits: list[Audit] = []
    others: dict[str, Any] = {}
    for key, entry in value["audited"].items():
        audit = _audit(source, key, entry)
        if audit is None:
            others[key] = entry
        else:
            audits.append(audit)
    language = detect(" ".join(audit.reason for audit in audits), profile.language or "en")
    remainder = tcf_form.difference({k: v for k, v in value.items() if k != "audited"}, {})
    if others:
        remainder["rows"] = {"audited": others}
    head = KnowledgeObject(
        id="", granularity=DOCUMENT, title=source.stem, language=language, line=line,
        visibility=visibility.in_value(value, source, line), remainder=tcf_form.text_of(remainder),
    )  # fmt: skip
    texts = [f"{a.source} → {a.target}: {a.verdict}. {a.reason}".strip() for a in audits] or [source.stem]
    return ParsedDocument(
        id=source.stem,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type="application/json",
        profile=profile.name,
        language=language,
        objects=(head,),
        passages=tuple(Passage("", -1, -1, "", text, language, lead=n == 0) for n, text in enumerate(texts)),
        audits=tuple(audits),
        own_id=False,
    )


def _audit(source: Source, key: str, entry: Any) -> Audit | None:
    """One audit; None, with an issue, for what names no pair or no verdict."""
    start, arrow, end = key.partition(ARROW)
    written = entry.get("verdict") if isinstance(entry, dict) else None
    verdict = notation("verdict", written) if isinstance(written, str) else ""
    if not (arrow and start.strip() and end.strip() and verdict):
        source.issue("bad-verdict", f"{key!r}: {written!r} is no verdict on a pair", line=_line(source, key),
                     hint='write "A->B": {"verdict": "ok"}, or weak or wrong')  # fmt: skip
        return None
    said: dict[str, Any] = {"verdict": verdict}
    reason, turn = entry.get("reason"), entry.get("round")
    if isinstance(reason, str) and reason:
        said["reason"] = reason
    if isinstance(turn, int) and not isinstance(turn, bool):
        said["round"] = turn
    return Audit(
        id="audit-" + hashlib.sha256(key.encode()).hexdigest()[:10], source=start, target=end, verdict=verdict,
        reason=said.get("reason", ""), round=said.get("round"), line=_line(source, key),
        remainder=tcf_form.text_of(tcf_form.difference(entry, said)),
    )  # fmt: skip


def _line(source: Source, key: str) -> int:
    """The line on which a key stands as it is; 0 where it is written with escapes."""
    at = source.text.find(f'"{key}"')
    return source.line(at) if at >= 0 else 0
