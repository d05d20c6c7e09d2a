"""Is the server alive, and is what it serves complete?"""

from __future__ import annotations

from flask import Blueprint, Response

from oam_server.kb import reader
from oam_server.negotiate import json_response
from oam_server.problems import Problem

meta = Blueprint("meta", __name__)


@meta.get("/health")
def health() -> Response:
    """Liveness: touches nothing."""
    return json_response({"status": "ok"})


@meta.get("/ready")
def ready() -> Response:
    """What is served (revision, counts, degraded channels), or 503 while nothing can be."""
    status = reader().status()
    if status.get("generation") is None:
        raise Problem(503, "nothing has been ingested yet", headers={"Retry-After": "5"})
    return json_response({"status": "ready", **status})
