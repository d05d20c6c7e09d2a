"""The SPARQL 1.1 Protocol endpoint: queries only, under ``/sparql`` and ``/query``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Blueprint, Response, request

from oam_rdf.errors import UsageError
from oam_rdf.store.sparql_formats import choose, find, formats
from oam_rdf.store.sparql_gate import QueryGate
from oam_server import description
from oam_server.kb import reader
from oam_server.negotiate import best, not_acceptable
from oam_server.problems import Problem, bad_parameter

sparql = Blueprint("sparql", __name__)

FORM, QUERY = "application/x-www-form-urlencoded", "application/sparql-query"
# "output" and "results" are what older clients send beside or instead of "format".
_KNOWN = ("query", "default-graph-uri", "named-graph-uri", "format", "output", "results", "timeout", "default-graph")
_LISTS = ("default-graph-uri", "named-graph-uri")

Given = Mapping[str, Sequence[str]]


@sparql.route("/sparql", methods=["GET", "POST"])
@sparql.route("/query", methods=["GET", "POST"])
def endpoint() -> Response:
    """Answer a query, or describe the service to a GET without one."""
    given = _given()
    if request.method in ("GET", "HEAD") and not given:
        return description.respond(request.base_url)
    queries = given.get("query", ())
    if len(queries) != 1:
        raise bad_parameter("query", "is missing" if not queries else "is given more than once")
    media_type, name = _negotiate(queries[0], given)
    body, _ = reader().sparql(
        queries[0],
        format=name,
        default_graphs=given.get("default-graph-uri"),
        named_graphs=given.get("named-graph-uri"),
        strict=_strict(given),
        timeout=_timeout(given),
    )
    return Response(body, content_type=media_type, headers={"Vary": "Accept"})


def _given() -> dict[str, list[str]]:
    """All parameters, from the address and from the body. Raises Problem 400, 403 or 415."""
    given = dict(request.args.lists())
    if request.method == "POST":
        if request.mimetype == QUERY:
            try:
                given.setdefault("query", []).append(request.get_data().decode())
            except UnicodeDecodeError as error:
                raise Problem(400, f"the query is not UTF-8 at byte {error.start}", parameter="query") from error
        elif request.mimetype == FORM:
            for name, values in request.form.lists():
                given.setdefault(name, []).extend(values)
        elif request.mimetype == "application/sparql-update":
            raise Problem(403, "this endpoint answers queries and changes nothing")
        else:
            what = request.mimetype or "nothing"
            headers = {"Accept-Post": f"{QUERY}, {FORM}"}
            detail = f"a query comes as {QUERY} or {FORM}, not as {what}"
            raise Problem(415, detail, headers=headers, available=[QUERY, FORM])
    if "update" in given:
        raise Problem(403, "this endpoint answers queries and changes nothing", parameter="update")
    for name, values in given.items():
        if name not in _KNOWN:
            raise bad_parameter(name, "is not known here", "known: " + ", ".join(_KNOWN))
        if len(values) > 1 and name not in (*_LISTS, "query"):
            raise bad_parameter(name, "is given more than once")
        if any("\ufffd" in value for value in values) and name != "query":
            raise bad_parameter(name, "is not UTF-8")
    return given


def _negotiate(query: str, given: Given) -> tuple[str, str]:
    """Content type and format name for this query: what a format parameter says, else what Accept prefers."""
    form = QueryGate().check(query).form
    offered = formats(form)
    types = [fmt.media_types[0] for fmt in offered] + [other for fmt in offered for other in fmt.media_types[1:]]
    for name in ("format", "output", "results"):
        if given.get(name):
            try:
                found = find(form, given[name][0])
            except UsageError as error:
                raise bad_parameter(name, error.message, error.hint) from error
            if found is None:
                raise not_acceptable(types)
            return found[0].content_type(found[1]), found[0].name
    chosen = best(request.headers.get("Accept"), types)
    if chosen is None:
        raise not_acceptable(types)
    fmt, media_type = choose(form, chosen)
    return fmt.content_type(media_type), fmt.name


def _strict(given: Given) -> bool:
    value = given.get("default-graph", ["union"])[0]
    if value not in ("union", "strict"):
        raise bad_parameter("default-graph", f"{value!r} is neither union nor strict")
    return value == "strict"


def _timeout(given: Given) -> float | None:
    values = given.get("timeout")
    if not values:
        return None
    try:
        seconds = float(values[0])
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 86_400:
        raise bad_parameter("timeout", "must be a number of seconds above 0")
    return seconds
