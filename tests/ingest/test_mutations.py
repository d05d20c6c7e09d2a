"""Ten thousand damaged inputs for every reader: a document or an error of ours, within seconds, and nothing is written.

The seeds are files of ``data/`` and small texts in the shape of each format; JSON by shape is in ``test_json_mutations``.
Run with the slow suites; the fast ones take a hundred of each.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from oam_rdf.errors import OamError
from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import EXTENSIONS, parse
from oam_rdf.model import ParsedDocument
from oam_rdf.ontology import Ontology
from oam_rdf.resources import schemas_dir
from oam_rdf.store.codec import Codec
from oam_rdf.store.document_quads import Resolved
from oam_rdf.store.minter import Minter

_LONGEST = 20.0  # seconds for one input: a hang, not a slow machine
_KEP = b"title: Small steps\nkep-number: 12\nauthors:\n  - '@someone'\nstatus: provisional\nsee-also:\n  - /keps/11\n"
_TSV = b"id\ttime\tstatus\tcommit\nA-1\t2020-01-02T03:04:05Z\tDraft\tabc\nA-1\t2021-01-02T03:04:05+08:00\tFinal\tdef\n"
_TTL = (
    b"@base <http://example.org/> .\n@prefix oam: <https://w3id.org/oam/ns#> .\n@prefix dcterms: <http://purl.org/dc/terms/> .\n"
    b'<doc/A> a oam:Document ; dcterms:identifier "A" ; dcterms:title "\xe6\xb8\xac"@zh-Hant ; oam:dependsOn <doc/B> .\n'
)
_NT = b'<http://example.org/A> <http://purl.org/dc/terms/title> "A \\u00e9"@en .\n<http://example.org/A> <http://e.org/p> _:b .\n'
_RDFXML = (
    b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    b'xmlns:dcterms="http://purl.org/dc/terms/">\n<rdf:Description rdf:about="http://example.org/A">'
    b"<dcterms:title>A</dcterms:title></rdf:Description>\n</rdf:RDF>\n"
)
_JSONLD = b'{"@context": {"t": "http://purl.org/dc/terms/title"}, "@id": "http://example.org/A", "t": {"@value": "A"}}'
_TOKENS = (
    b"\n", b"---\n", b"# ", b"**", b"[[", b"]]", b"::", b"|", b"```", b"$$", b"{", b"}", b"[", b"]", b'"', b"'", b":", b"- ",
    b"<", b">", b"&a ", b"*a", b"<<: ", b"!!", b"\t", b"\r", b"\xef\xbb\xbf", b"\x00", b"\xff", b"\xf0\x9f\x8c\x9f", b"@base ",
    b"../../", b"%2e%2e/", b"9" * 40, "定理 1：".encode(), "《".encode(), "：".encode(), b"\\u0000", b"<!DOCTYPE x [", b"null",
)  # fmt: skip


def _seeds() -> dict[str, list[bytes]]:
    """Sample contents by extension."""
    found: dict[str, list[bytes]] = {}
    for folder in ("documents", "tcf"):
        for path in sorted((schemas_dir().parent / folder).rglob("*")):
            if path.suffix.removeprefix(".") in EXTENSIONS:
                found.setdefault(path.suffix.removeprefix("."), []).append(path.read_bytes()[:6000])
    found["txt"] = [b"A plain text.\n\nTheorem 1. It holds.\n", *found["md"][:2]]
    found |= {"yaml": [_KEP], "tsv": [_TSV], "ttl": [_TTL], "trig": [_TTL], "nt": [_NT], "nq": [_NT]}
    found |= {"jsonld": [_JSONLD], "rdf": [_RDFXML], "xml": [_RDFXML], "owl": [_RDFXML]}
    found["jsonl"] = [b"\n".join(content.replace(b"\n", b" ") for content in found["json"][:3])]
    return {name: contents for name, contents in found.items() if name in EXTENSIONS}


SEEDS = _seeds()


def damaged(content: bytes, generator: random.Random) -> bytes:
    """The content with bytes cut, doubled, moved, flipped, or marks of the formats put in."""
    raw = bytearray(content)
    for _ in range(generator.choice((1, 1, 2, 3, 8))):
        at, width = generator.randrange(len(raw) + 1), generator.choice((0, 1, 3, 20, 200))
        how = generator.randrange(5)
        if how == 0:
            del raw[at : at + width]
        elif how == 1:
            raw[at:at] = raw[at : at + width] * generator.choice((1, 2, 30))
        elif how == 2 and at < len(raw):
            raw[at] ^= 1 << generator.randrange(8)
        elif how == 3:
            other = generator.randrange(len(raw) + 1)
            raw[at : at + width] = raw[other : other + width]
        else:
            raw[at:at] = generator.choice(_TOKENS) * generator.choice((1, 1, 2, 60))
    return bytes(raw[:200_000])


_watching = False
_written: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    if event == "open" and len(arguments) == 3:
        mode, flags = arguments[1], arguments[2]
        changes = isinstance(mode, str) and set(mode) & set("wax+")
        if changes or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            _written.append(f"open {arguments[0]!r}")
    elif event in ("os.mkdir", "os.remove", "os.rename", "os.link", "os.symlink", "shutil.copyfile", "subprocess.Popen",
                   "socket.connect"):  # fmt: skip
        _written.append(f"{event} {arguments!r}")


sys.addaudithook(_watch)  # a hook cannot be taken away again: it looks only while it is asked to


@contextmanager
def nothing_written() -> Iterator[None]:
    global _watching
    _written.clear()
    _watching = True
    try:
        yield
    finally:
        _watching = False
    assert not _written, _written[:3]


def encoded(document: ParsedDocument) -> None:
    codec = Codec(Minter("http://x.test/"), Ontology.load())
    relations = [Resolved(relation, None, "") for relation in document.relations]
    assert list(codec.encode(document, relations, root="r", events=[None] * len(document.events)).quads())


def _run(extension: str, count: int) -> tuple[int, int]:
    """:returns: how many inputs were read, and how many were refused."""
    generator, profile = random.Random(extension), profiles.load("keps" if extension == "yaml" else "default")
    read = refused = 0
    for content in SEEDS[extension]:
        parse(content, f"folder/kep.{extension}", profile)  # the seed itself is read; and what is loaded once is loaded
    with nothing_written():
        for _ in range(count):
            content = damaged(generator.choice(SEEDS[extension]), generator)
            began = time.monotonic()
            try:
                document = parse(content, f"folder/kep.{extension}", profile)
            except OamError:
                refused += 1
            else:
                read += 1
                if read % 20 == 0:
                    encoded(document)
            assert time.monotonic() - began < _LONGEST, content[:200]
    return read, refused


def test_every_extension_has_a_seed_or_a_twin() -> None:
    twins = {"markdown": "md", "mdown": "md", "rest": "rst", "ndjson": "jsonl", "text": "txt", "yml": "yaml",
             "turtle": "ttl"}  # fmt: skip
    missing = {name for name in EXTENSIONS if name not in SEEDS and twins.get(name) not in SEEDS}
    assert not missing, missing


def test_the_watcher_sees_a_write(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="open"), nothing_written():
        (tmp_path / "x").write_text("x")


@pytest.mark.parametrize("extension", sorted(SEEDS))
def test_damaged_inputs(extension: str) -> None:
    read, refused = _run(extension, 60)
    assert read + refused == 60


@pytest.mark.slow
@pytest.mark.parametrize("extension", sorted(SEEDS))
def test_ten_thousand_damaged_inputs(extension: str) -> None:
    read, refused = _run(extension, 10_000)
    print(f"{extension}: {read} read, {refused} refused")
    assert read + refused == 10_000 and read and refused
