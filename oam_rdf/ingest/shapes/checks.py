"""A check that can be run again: a command, its files and its output by hash (decision D7).

Reading a declaration runs nothing. The files beside it are compared with their hashes as all files are that a source gives
hashes of; what is run, and when, a person says (``oam evidence run``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes.builder import Builder, leaves, mapping, rows_of, text, word
from oam_rdf.ingest.shapes.hashed import digest_of
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import HashClaim, ParsedDocument, Procedure
from oam_rdf.store.procedure_codec import unfit

_KEYS = {"check_id", "checks", "evidence_kind", "command", "inputs", "output"}
_FINITE = frozenset({"finite_computational_check", "counterexample_search", "property_check"})


def is_check(rows: Rows) -> bool:
    """Whether the file declares a check: data/schemas/check.schema.json."""
    return len(rows) == 1 and isinstance(rows[0][0], dict) and rows[0][0].keys() >= _KEYS


def read(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The declaration as a document that tests what it names.

    :raises ParseError: if it could never be run: another interpreter, a path that leads out of the folder, no hash.
    """
    value, line = rows[0]
    build = Builder(source, profile, value, line)
    identifier, subject = word(value["check_id"]), word(value["checks"])
    procedure = _procedure(build, value)
    used = {"check_id", "title", "statement", "checks"}
    statement = text(value.get("statement"))
    if statement:
        build.statement("claim", statement)
    build.relate("", "tests", subject, line=build.place(subject))
    build.hashes += [
        HashClaim("file", "inputs", sha256, target=path, line=build.place(sha256)) for path, sha256 in procedure.inputs
    ]
    title = text(value.get("title")) or identifier
    lead = "\n".join(filter(None, (title, statement)))
    return replace(build.document(identifier, title, lead=lead, extra=leaves(value, used)), procedure=procedure)


def _procedure(build: Builder, value: dict[str, Any]) -> Procedure:
    kind = notation("evidence-kind", word(value["evidence_kind"]))
    if not kind:
        raise _error(build, f"unknown kind of evidence {word(value['evidence_kind'])!r}", "see `oam ontology doc`")
    inputs = []
    for entry in rows_of(value["inputs"]):
        path, sha256 = word(mapping(entry).get("path")), digest_of(mapping(entry).get("sha256"))
        if not path or not sha256:
            raise _error(build, f"the input {path!r} has no path or no SHA-256", "give it both")
        inputs.append((path, sha256))
    output = digest_of(mapping(value["output"]).get("sha256"))
    if not output:
        raise _error(build, "output has no SHA-256", "give the hash of what the command prints")
    limits = mapping(value.get("limits"))
    seconds, memory = limits.get("seconds", 10), limits.get("memory_mb", 256)
    if not all(isinstance(limit, int) and not isinstance(limit, bool) for limit in (seconds, memory)):
        raise _error(build, "a limit is no whole number", "write seconds and memory_mb as whole numbers")
    wrong = unfit(value["command"], [path for path, _ in inputs], seconds, memory)
    if wrong:
        raise _error(build, wrong, "correct the declaration")
    universal = value.get("universal_proof") if isinstance(value.get("universal_proof"), bool) else None
    if universal and kind in _FINITE:
        build.issue("finite-not-universal", f"a {kind} calls itself a universal proof: it is not", severity="warning",
                    hint="the source's word is kept as a field")  # fmt: skip
        universal = None
    return Procedure(
        kind, tuple(value["command"]), tuple(sorted(inputs)), output, seconds, memory,
        word(value.get("quantification")), universal,
    )  # fmt: skip


def _error(build: Builder, message: str, hint: str) -> ParseError:
    return ParseError(message, place=build.source.place(build.line), hint=hint)
