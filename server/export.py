"""Objects as RDF or OAM JSON, by content negotiation: the same bytes as ``oam export``."""

from __future__ import annotations

import hashlib

from flask import Blueprint, Response, request

from oam_server.kb import reader
from oam_server.negotiate import best, not_acceptable
from oam_server.params import Param, identifier, read
from oam_server.problems import bad_parameter

export = Blueprint("export", __name__)

# What is offered, best first: the media type and the name of the format; further spellings that clients use.
OFFERED = {
    "text/turtle": "turtle",
    "application/trig": "trig",
    "application/n-quads": "nquads",
    "application/n-triples": "ntriples",
    "application/ld+json": "jsonld",
    "application/rdf+xml": "rdfxml",
    "application/json": "oam-json",
    "application/x-turtle": "turtle",
    "text/n-quads": "nquads",
}
PARAMS = (
    Param("tcf", "flag"),
    Param("format", choices=tuple(name.upper() for name in dict.fromkeys(OFFERED.values()))),
)


@export.get("/export/<path:id>")
def export_(id: str) -> Response:
    """The object in the format that Accept (or ``format``) asks for, Turtle if it does not matter; ``tcf``: the merged
    graph. The ETag is of the content, so a client that has it gets 304."""
    options = read(PARAMS)
    tcf = options.get("tcf", False)
    # A TCF graph is RDF.
    offered = {media: name for media, name in OFFERED.items() if not tcf or name != "oam-json"}
    if "format" in options:
        wanted = options["format"].lower()
        media_type = next((media for media, name in offered.items() if name == wanted), None)
    else:
        media_type = best(request.headers.get("Accept"), tuple(offered))
    if media_type is None:
        raise not_acceptable(tuple(offered))
    body = reader().export(identifier(id), offered[media_type], tcf=tcf)
    content_type = f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
    response = Response(body, content_type=content_type, headers={"Vary": "Accept"})
    # The same bytes as another type are another representation.
    response.set_etag(hashlib.sha256(media_type.encode() + b"\0" + body).hexdigest()[:32])
    return response.make_conditional(request)


@export.get("/export")
def no_id() -> Response:
    """The id belongs to the path."""
    raise bad_parameter("id", "is missing", "write /export/ID")
