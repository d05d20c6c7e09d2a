"""A JSON file goes to the reader of its shape; what no shape claims is read as OAM JSON (formats.md, "In")."""

from __future__ import annotations

from collections.abc import Callable

from oam_rdf.errors import ParseError
from oam_rdf.ingest import oam_json, tcf_json, verdict_json
from oam_rdf.ingest.json_values import Rows, values
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.shapes import (
    candidates,
    checks,
    entries,
    event_chain,
    ledgers,
    named,
    ocme,
    provenance_graph,
    registry,
    release,
    sgcd,
)
from oam_rdf.ingest.source import Source
from oam_rdf.model import ParsedDocument

# (whether the values have the shape, its reader), the narrowest shape first. A shape is recognised by keys that no other
# shape has, never by the file's name: files are renamed.
_SHAPES: tuple[tuple[Callable[[Rows], bool], Callable[[Source, Profile, Rows], ParsedDocument]], ...] = (
    (tcf_json.fits, tcf_json.parse),
    (verdict_json.fits, verdict_json.parse),
    (event_chain.is_chain, event_chain.read),
    (candidates.is_candidate, candidates.candidate),
    (candidates.is_verification, candidates.verification),
    (candidates.is_review, candidates.review),
    (candidates.is_supersession, candidates.supersession),
    (candidates.is_correction, candidates.correction),
    (candidates.is_audit, candidates.audit),
    (release.is_dataset, release.dataset),
    (release.is_receipt, release.receipt),
    (release.is_release, release.release),
    (release.is_citation, release.citation),
    (release.is_conformance, release.conformance),
    (provenance_graph.is_graph, provenance_graph.read),
    (checks.is_check, checks.read),
    (ocme.is_evidence, ocme.evidence),
    (ocme.is_object, ocme.objects),
    (sgcd.is_sgcd, sgcd.read),
    (ledgers.is_ledger, ledgers.read),
    (registry.is_registry, registry.registry),
    (registry.is_programme, registry.programme),
    (entries.is_listing, entries.listing),
    (named.is_named, named.read),
)


def parse(source: Source, profile: Profile, *, statements: str = "said") -> ParsedDocument:
    """A JSON file as a document. ``statements`` makes no difference: every entry is said.

    :raises ParseError: for JSON that cannot be read, lone surrogates, or a file in which nothing has a known shape.
    """
    try:
        rows = list(values(source))
    except ParseError as error:
        raise event_chain.damaged(source, error) from error
    for fits, read in _SHAPES:
        if fits(rows):
            return read(source, profile, rows)
    return oam_json.parse(source, profile, rows)
