"""Errors as problem documents (RFC 9457): one status per class of :mod:`oam_rdf.errors`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, current_app, json
from werkzeug.exceptions import HTTPException

from oam_rdf import errors

# The first class that fits decides; seconds after which trying again makes sense, where it does.
_STATUS: tuple[tuple[type[errors.OamError], int, int | None], ...] = (
    (errors.NotFound, 404, None),
    (errors.UsageError, 400, None),
    (errors.ParseError, 400, None),
    (errors.Forbidden, 403, None),
    (errors.Refused, 422, None),
    (errors.NothingChecked, 422, None),
    (errors.LimitExceeded, 503, 5),
    (errors.LockHeld, 503, 2),
    (errors.FeatureMissing, 501, None),
)


class Problem(Exception):
    """A request that HTTP itself refuses (a parameter, a media type, a host); ``members`` extend the document."""

    def __init__(self, status: int, detail: str, *, headers: Mapping[str, str] | None = None, **members: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.members = members


def bad_parameter(name: str, detail: str, hint: str = "") -> Problem:
    """400 for one parameter, named in the text and in the member ``parameter``."""
    members: dict[str, Any] = {"hint": hint} if hint else {}
    return Problem(400, f"parameter {name!r}: {detail}", parameter=name, **members)


def register(app: Flask) -> None:
    """Answer every error of ``app`` with a problem document.

    What nobody foresaw is logged by Flask, which turns it into an HTTPException with status 500.
    """
    app.register_error_handler(Problem, _problem)
    app.register_error_handler(errors.OamError, _oam_error)
    app.register_error_handler(HTTPException, _http_error)


def _document(status: int, detail: str, headers: Mapping[str, str], members: Mapping[str, Any]) -> Response:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **members}
    return Response(json.dumps(body) + "\n", status, dict(headers), content_type="application/problem+json")


def _problem(problem: Problem) -> Response:
    return _document(problem.status, problem.detail, problem.headers, problem.members)


def _oam_error(error: errors.OamError) -> Response:
    fitting = [(status, retry) for kind, status, retry in _STATUS if isinstance(error, kind)]
    if not fitting:  # a damaged store or a wrong configuration: its details are for whoever runs the server
        current_app.logger.error("%s: %s", type(error).__name__, error)
        return _document(500, "the knowledge base cannot be read; the server's log says why", {}, {})
    status, retry = fitting[0]
    members: dict[str, Any] = {"error": type(error).__name__}
    place = re.fullmatch(r"query:(\d+):(\d+)", error.place)
    if place is not None:
        members |= {"line": int(place[1]), "column": int(place[2])}
    if error.hint:
        members["hint"] = error.hint
    return _document(status, error.message, {} if retry is None else {"Retry-After": str(retry)}, members)


def _http_error(error: HTTPException) -> Response:
    response = error.get_response()
    headers = {name: value for name, value in response.headers if name in ("Allow", "Location", "Retry-After")}
    status = error.code or response.status_code
    if status < 400:  # a redirect to the canonical address
        return Response(status=status, headers=headers)
    return _document(status, error.description or HTTPStatus(status).phrase, headers, {})
