"""RDF terms as the codecs write them: the properties they share, and literals in their one form."""

from __future__ import annotations

import re

from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import DCTERMS, OAM, PROV, RDF, XSD

_WHOLE = re.compile("[0-9]{1,18}")  # any that 64 bits hold


def n(iri: str) -> NamedNode:
    return NamedNode(iri)


def oam(name: str) -> NamedNode:
    return NamedNode(OAM + name)


TYPE = n(RDF + "type")
IDENTIFIER, TITLE, PART_OF, LANGUAGE = (n(DCTERMS + x) for x in ("identifier", "title", "isPartOf", "language"))
DESCRIPTION = n(DCTERMS + "description")
QUOTED, DERIVED, GENERATED = (n(PROV + x) for x in ("wasQuotedFrom", "wasDerivedFrom", "wasGeneratedBy"))
TESTS = oam("tests")
ATTRIBUTED, ASSOCIATED = n(PROV + "wasAttributedTo"), n(PROV + "wasAssociatedWith")


def text(value: str, language: str = "") -> Literal:
    return Literal(value, language=language) if language else Literal(value)


def integer(value: int) -> Literal:
    return Literal(str(value), datatype=n(XSD + "integer"))


def whole(said: str) -> int | None:
    """The whole number from 0 that a literal's text is, or None: a source may say anything with our words."""
    return int(said) if _WHOLE.fullmatch(said) else None


def decimal(value: float) -> Literal:
    # Two digits: more would be false precision (decision D14).
    return Literal(f"{value:.2f}".rstrip("0").rstrip(".") or "0", datatype=n(XSD + "decimal"))


def moment(value: str) -> Literal:
    return Literal(value, datatype=n(XSD + "dateTime"))


def boolean(value: bool) -> Literal:
    return Literal("true" if value else "false", datatype=n(XSD + "boolean"))
