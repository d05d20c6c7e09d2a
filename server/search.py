"""Search, navigation, certificates, sources and versions: the reading endpoints of interfaces.md, as JSON."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flask import Blueprint, Response, request

from oam_rdf.errors import UsageError
from oam_rdf.model import VISIBILITIES
from oam_rdf.ontology import Ontology
from oam_rdf.query.expression import parse
from oam_rdf.query.fallback import FALLBACKS
from oam_server.kb import plain, reader
from oam_server.negotiate import json_response, rdf_or_json, rdf_response
from oam_server.params import Param, identifier, read
from oam_server.problems import bad_parameter

search = Blueprint("search", __name__)

GRANULARITIES = ("DOCUMENT", "SECTION", "ARGUMENT", "STATEMENT")
MAX_K = 100
_INTERFACES = {"EN": "en", "ZH-HANT": "zh-Hant", "ZH-HANS": "zh-Hans"}


@lru_cache(maxsize=4)
def _search_params(ontology: Ontology) -> tuple[Param, ...]:
    return (
        Param("q", required=True),
        Param("k", "int", low=1, high=MAX_K),
        Param("offset", "int", low=0, high=10_000),
        Param("route", "words", ontology.ordered("route")),
        Param("direction", "words", tuple(ontology.directions)),
        Param("state", "words", ontology.ordered("epistemic-state"), aliases=("epistemic",)),
        Param("only_verified", "flag"),
        Param("include_conjectures", "flag"),
        Param("version", choices=("ACTIVE", "DEFAULT", "HISTORY")),
        Param("as_of", "date"),
        Param("include_history", "flag"),
        Param("granularity", choices=GRANULARITIES),
        Param("language", "tag", aliases=("lang",)),
        Param("visibility", "words", VISIBILITIES),
        Param("explain", "flag"),
        Param("ui", choices=("EN", "ZH-HANT", "ZH-HANS")),
    )


_NAVIGATE = (
    Param("start", required=True),
    Param("direction", required=True),
    Param("steps", "int", low=1, high=1_000),
    Param("fallback", choices=tuple(name.upper() for name in FALLBACKS)),
    Param("trail_id"),
)
_SOURCE = (Param("context", "int", low=0, high=10_000),)


@search.route("/search", methods=["GET", "POST"])
def search_() -> Response:
    """Results with the id of their certificate; with ``explain`` the certificate and its explanation too."""
    options = read(_search_params(reader().ontology))
    query, explain, interface = options.pop("q"), options.pop("explain", False), options.pop("ui", "EN")
    for given, name in (("state", "states"), ("direction", "directions")):
        if given in options:
            options[name] = options.pop(given)
    if "route" in options:
        options["route"] = " ".join(options["route"])
    if "version" in options:
        options["version"] = options["version"].lower()
    answer = reader().search(query, **options)
    found = answer.to_json(certificate=explain)
    if explain:
        found["explanation"] = answer.explanation(_INTERFACES[interface])
    return json_response(found)


@search.route("/navigate", methods=["GET", "POST"])
def navigate() -> Response:
    """Where a direction, or several one after the other, lead from an object: nodes, routes, loops, dead ends."""
    options = read(_NAVIGATE)
    start, direction = identifier(options.pop("start")), options.pop("direction")
    try:  # directions are the ontology's and the knowledge base's, no list of this server's
        parse(direction, reader().ontology)
    except UsageError as error:
        raise bad_parameter("direction", error.message, error.hint) from error
    if "fallback" in options:
        options["fallback"] = options["fallback"].lower()
    return _answer(reader().navigate(start, direction, **options))


@search.get("/trace/<path:id>")
def trace(id: str) -> Response:
    """The certificate of a search: JSON, or PROV-O where Accept asks for RDF."""
    read(())
    name, media_type = rdf_or_json()
    if name == "json":
        return _answer(reader().trace(identifier(id)))
    return rdf_response(reader().trace_rdf(identifier(id), name), media_type)


@search.get("/source/<path:id>")
def source(id: str) -> Response:
    """The spans of an object in its Original, with ``context`` characters around them."""
    options = read(_SOURCE)
    return _answer(reader().source(identifier(id), **options))


@search.get("/version/<path:id>")
def version(id: str) -> Response:
    """The evolution chain of an object."""
    read(())
    return _answer(reader().versions(identifier(id)))


@search.get("/trace")
@search.get("/source")
@search.get("/version")
def no_id() -> Response:
    """The id belongs to the path."""
    for name in request.args:
        raise bad_parameter(name, "is not known here", f"write {request.path}/ID")
    raise bad_parameter("id", "is missing", f"write {request.path}/ID")


def _answer(value: Any) -> Response:
    return json_response(plain(value))
