"""The application factory."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flask import Flask
from flask.json.provider import DefaultJSONProvider

from oam_rdf.errors import UsageError
from oam_rdf.model import VISIBILITIES
from oam_server import guard, problems
from oam_server.export import export
from oam_server.kb import Reader
from oam_server.meta import meta
from oam_server.openapi import openapi
from oam_server.search import search
from oam_server.sparql import sparql


class _Json(DefaultJSONProvider):
    ensure_ascii = False
    sort_keys = False
    mimetype = "application/json"


def create_app(
    kb_path: str | Path,
    *,
    clearance: str = "PUBLIC",
    allowed_hosts: Collection[str] = (),
    max_body: int = 1 << 20,
) -> Flask:
    """A WSGI application that reads the knowledge base at ``kb_path`` and changes nothing.

    ``clearance`` is what a caller without a token may see; ``allowed_hosts`` are names (beside 127.0.0.1, localhost and
    [::1]) under which the server may be addressed; bodies above ``max_body`` bytes are answered with 413. Nothing is
    opened before the first request.
    """
    if clearance not in VISIBILITIES:
        raise UsageError(f"unknown clearance {clearance!r}", hint="one of " + ", ".join(VISIBILITIES))
    app = Flask("oam_server", static_folder=None)
    app.json = _Json(app)
    app.config["MAX_CONTENT_LENGTH"] = max_body
    app.config["MAX_FORM_MEMORY_SIZE"] = max_body
    app.url_map.merge_slashes = False  # an id may be an IRI
    app.extensions["oam"] = Reader(Path(kb_path), clearance)
    problems.register(app)
    guard.register(app, allowed_hosts)
    for blueprint in (search, sparql, export, openapi, meta):
        app.register_blueprint(blueprint)
    return app
