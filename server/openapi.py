"""What the server offers, as OpenAPI 3.1: every route with what its docstring says, the export in full."""

from __future__ import annotations

import re
from typing import Any

from flask import Blueprint, Response, current_app
from werkzeug.routing import Map

from oam_rdf import __version__
from oam_server.export import OFFERED, PARAMS
from oam_server.negotiate import json_response
from oam_server.params import Param, read

openapi = Blueprint("openapi", __name__)

_PROBLEM = {"application/problem+json": {"schema": {"type": "object"}}}
_ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")


@openapi.get("/openapi.json")
def describe() -> Response:
    """This description."""
    read(())
    return json_response(document(current_app.url_map))


def document(routes: Map) -> dict[str, Any]:
    """An OpenAPI 3.1 document of the routes of an application."""
    paths: dict[str, dict[str, Any]] = {}
    for rule in sorted(routes.iter_rules(), key=lambda rule: rule.rule):
        path = _ARGUMENT.sub(r"{\1}", rule.rule)
        view = current_app.view_functions[rule.endpoint]
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            paths.setdefault(path, {})[method.lower()] = {
                "summary": " ".join((view.__doc__ or "").split()),
                "operationId": f"{method.lower()}_{rule.endpoint.replace('.', '_')}_{rule.rule.count('<')}_{path.strip('/')}",
                "parameters": [
                    {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                    for name in sorted(rule.arguments)
                ],
                "responses": {"200": {"description": "the answer"}, "default": _failure("what was wrong")},
            }
    paths["/export/{id}"]["get"] |= _export(paths["/export/{id}"]["get"]["parameters"])
    return {"openapi": "3.1.0", "info": {"title": "OAM-RDF", "version": __version__}, "paths": paths}


def _export(path: list[dict[str, Any]]) -> dict[str, Any]:
    content = {media: {"schema": {"type": "string"}} for media in OFFERED}
    return {
        "parameters": [*path, *map(_query, PARAMS)],
        "responses": {
            "200": {
                "description": "the object; Turtle unless Accept or format asks for something else",
                "headers": {
                    name: {"schema": {"type": "string"}, "description": said}
                    for name, said in (("ETag", "hash of the content"), ("Vary", "Accept"))
                },
                "content": content,
            },
            "304": {"description": "the client has this content already (If-None-Match)"},
            "404": _failure("there is no such object, or it is not yours to see"),
            "406": _failure("none of the types in Accept is available; the body lists those that are"),
            "default": _failure("what was wrong"),
        },
    }


def _query(param: Param) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "boolean" if param.kind == "flag" else "string"}
    if param.choices:
        schema["enum"] = [choice.lower() for choice in param.choices]
    return {"name": param.name, "in": "query", "required": param.required, "schema": schema}


def _failure(what: str) -> dict[str, Any]:
    return {"description": what, "content": _PROBLEM}
