"""Which of the media types on offer a client wants most (RFC 9110 §12.5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from flask import Response, json, request

from oam_server.problems import Problem


def ranges(header: str) -> list[tuple[str, float]]:
    """``[(media range, q)]`` of an Accept header, q in [0, 1]; parameters other than q are ignored, unreadable parts
    are passed over."""
    found: list[tuple[str, float]] = []
    for part in header.split(","):
        media, *parameters = [piece.strip().lower() for piece in part.split(";")]
        if media == "*":
            media = "*/*"
        if media.count("/") != 1:
            continue
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    quality = float(value)
                except ValueError:
                    quality = math.nan
        if 0 <= quality <= 1:
            found.append((media, quality))
    return found


def best(header: str | None, offered: Sequence[str]) -> str | None:
    """The type of ``offered`` (best first) with the highest q, ties by the server's order; None if all are unwanted.

    The most specific range decides about a type, so that ``*/*;q=0.1, text/csv;q=0`` refuses CSV. No header, or one in
    which nothing can be read, means that anything will do.
    """
    wanted = ranges(header or "")
    if not wanted:
        return offered[0]

    def quality(media_type: str) -> float:
        for pattern in (media_type, media_type.split("/")[0] + "/*", "*/*"):
            matching = [q for media, q in wanted if media == pattern]
            if matching:
                return max(matching)
        return 0.0

    top = max(offered, key=quality)  # the first of equals
    return top if quality(top) > 0 else None


def not_acceptable(offered: Sequence[str]) -> Problem:
    """406 with what is on offer."""
    return Problem(406, "none of the types in Accept is available here", available=list(offered))


def json_response(value: Any) -> Response:
    """``value`` as JSON, or 406 for a client that wants none."""
    if best(request.headers.get("Accept"), ("application/json",)) is None:
        raise not_acceptable(("application/json",))
    return Response(json.dumps(value) + "\n", content_type="application/json", headers={"Vary": "Accept"})


# What a certificate is offered as, best first: the media type and the name of the format.
_CERTIFICATE = {
    "application/json": "json",
    "text/turtle": "turtle",
    "application/ld+json": "jsonld",
    "application/trig": "trig",
    "application/n-triples": "ntriples",
}


def rdf_or_json() -> tuple[str, str]:
    """``(format, media type)`` that the client wants of a certificate, or 406."""
    chosen = best(request.headers.get("Accept"), tuple(_CERTIFICATE))
    if chosen is None:
        raise not_acceptable(tuple(_CERTIFICATE))
    return _CERTIFICATE[chosen], chosen


def rdf_response(body: bytes, media_type: str) -> Response:
    """RDF in the type that was negotiated."""
    text = media_type.startswith("text/")
    content_type = f"{media_type}; charset=utf-8" if text else media_type
    return Response(body, content_type=content_type, headers={"Vary": "Accept"})
