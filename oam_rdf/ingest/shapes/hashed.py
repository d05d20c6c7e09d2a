"""JSON that names its own hash, and hashes that it names of other things."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest.shapes.builder import Builder, word
from oam_rdf.model import HashClaim

_SHA256 = re.compile(r"(?:sha-?256[:-])?([0-9a-f]{64})", re.IGNORECASE)


def digest_of(written: Any) -> str:
    """The 64 hex digits of a SHA-256 as sources write it (bare, ``sha256:…``, ``sha256-…``), "" if it is none."""
    found = _SHA256.fullmatch(word(written))
    return found[1].lower() if found else ""


def canonical(value: Any, *, ascii_only: bool = True) -> bytes:
    """Canonical JSON: keys sorted, no white space; 3M files escape what is not ASCII, OCME ones do not."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only).encode()


def own_hash(value: dict[str, Any], without: Collection[str], *, ascii_only: bool = True) -> str:
    """SHA-256 of a JSON object's canonical form without the named keys."""
    kept = {name: part for name, part in value.items() if name not in without}
    return hashlib.sha256(canonical(kept, ascii_only=ascii_only)).hexdigest()


def check_own(
    build: Builder, value: dict[str, Any], name: str, without: Collection[str] = (), *, ascii_only: bool = True
) -> str:
    """The hash that an object gives of itself under ``name``, after computing it again; "" (and an issue) if it gives none.

    :raises ParseError: if it is another one, with both.
    """
    stated = digest_of(value.get(name))
    if not stated:
        build.issue("no-hash", f"{name} is no SHA-256: the content was not checked", hint="64 hex digits")
        return ""
    _compare(build, name, stated, own_hash(value, {name, *without}, ascii_only=ascii_only))
    return stated


def check_digest(build: Builder, name: str, stated: str, found: str) -> None:
    """Records a hash that was computed here and agrees. :raises ParseError: if it does not."""
    _compare(build, name, stated, found)


def _compare(build: Builder, name: str, stated: str, found: str) -> None:
    if stated != found:
        raise ParseError(
            f"{name} says sha256 {stated}, the content of this file has {found}",
            place=build.source.place(build.place(stated)),
            hint="the file was altered after it was hashed: fetch it again, or correct the hash",
        )
    build.hashes.append(HashClaim("own", name, stated, found=found, line=build.line))
