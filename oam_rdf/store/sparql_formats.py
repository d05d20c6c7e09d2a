"""The formats of SPARQL answers: names, media types, and which fits which query form (SPARQL 1.1 Protocol §2.1)."""

from __future__ import annotations

from dataclasses import dataclass

from oam_rdf.errors import UsageError


@dataclass(frozen=True, slots=True)
class Format:
    """``media_types``: the registered one first, then others under which clients ask for the same bytes."""

    name: str
    media_types: tuple[str, ...]

    def content_type(self, media_type: str = "") -> str:
        """The value of a Content-Type header, in the type asked for; text types say that they are UTF-8."""
        chosen = media_type or self.media_types[0]
        return f"{chosen}; charset=utf-8" if chosen.startswith("text/") else chosen


# In order of preference: the first of each is what a client gets that asks for nothing.
RESULTS = (
    Format("json", ("application/sparql-results+json", "application/json")),
    Format("xml", ("application/sparql-results+xml", "application/xml", "text/xml")),
    Format("csv", ("text/csv",)),
    Format("tsv", ("text/tab-separated-values",)),
)
GRAPHS = (
    Format("turtle", ("text/turtle", "application/x-turtle", "text/n3")),
    Format("ntriples", ("application/n-triples", "text/plain")),
    Format("jsonld", ("application/ld+json", "application/json")),
    Format("rdfxml", ("application/rdf+xml", "application/xml", "text/xml")),
)
_SYNONYMS = {
    "ttl": "turtle", "n3": "turtle", "nt": "ntriples", "n-triples": "ntriples", "json-ld": "jsonld", "rdf": "rdfxml",
    "rdf+xml": "rdfxml", "rdf/xml": "rdfxml",
}  # fmt: skip
_PER_FORM = {"json": "jsonld", "xml": "rdfxml"}  # what these two mean for CONSTRUCT and DESCRIBE
NAMES = tuple(fmt.name for fmt in RESULTS + GRAPHS)


def formats(form: str) -> tuple[Format, ...]:
    """The formats that fit a query form (SELECT, ASK, CONSTRUCT, DESCRIBE; "" counts as SELECT), best first."""
    return GRAPHS if form in ("CONSTRUCT", "DESCRIBE") else RESULTS


def find(form: str, name: str) -> tuple[Format, str] | None:
    """The format that ``name`` (a name, a usual synonym or a media type, in any case) means for a query form, and the
    media type to answer with; None where it fits no such form. Raises UsageError for a name that means nothing."""
    wanted = name.strip().lower()
    offered = formats(form)
    for fmt in offered:
        if wanted in fmt.media_types:
            return fmt, wanted
    short = _SYNONYMS.get(wanted, wanted)
    if offered is GRAPHS:
        short = _PER_FORM.get(short, short)
    for fmt in offered:
        if short == fmt.name:
            return fmt, fmt.media_types[0]
    if short in NAMES or any(wanted in fmt.media_types for fmt in RESULTS + GRAPHS):
        return None
    raise UsageError(f"unknown format {name!r}", hint="use one of " + ", ".join(NAMES))


def choose(form: str, name: str | None) -> tuple[Format, str]:
    """Like :func:`find`, with the default for None, and UsageError naming what fits where nothing does."""
    if not name:
        best = formats(form)[0]
        return best, best.media_types[0]
    found = find(form, name)
    if found is None:
        fitting = ", ".join(fmt.name for fmt in formats(form))
        raise UsageError(f"format {name!r} does not fit a {form or 'SELECT'} query", hint=f"use one of {fitting}")
    return found
