"""The query gate: what it refuses, what it leaves alone, and that the engine's parser finds nothing it missed."""

from __future__ import annotations

import itertools
import time

import pyoxigraph as ox
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oam_rdf.errors import Forbidden
from oam_rdf.store.sparql_gate import QueryGate

GATE = QueryGate()
CALL = "SERVICE <http://127.0.0.1:1/> { ?s ?p ?o }"

REFUSED = {
    "plain": "SELECT * { " + CALL + " }",
    "mixed case": "SELECT * { sErViCe <http://h/> {} }",
    "silent": "SELECT * { service silent ?where {} }",
    "glued to what precedes": "SELECT * { ?s ?p trueSERVICE<http://h/>{} }",
    "glued to a number": "SELECT * { ?s ?p 1e5SERVICE<http://h/>{} }",
    "glued to a dot": "SELECT * { ?s ?p ?o.SERVICE<http://h/>{} }",
    "glued to a prefixed name": "PREFIX ex: <http://h/> SELECT * { SERVICEex:a {} }",
    "with the empty prefix": "PREFIX : <http://h/> SELECT * { SERVICE:a # here\n {} }",
    "with an IRI declared as service:": "PREFIX : <http://h/> PREFIX service: <http://x/> SELECT * { service:a {} }",
    "behind a comparison that looks like an IRI with a fragment":
        "SELECT * { ?s ?p ?o FILTER(?s<?p#>'''\n || EXISTS{ " + CALL + " }) }#''' \n",
    "behind a comparison that looks like an IRI with a quote":
        "SELECT * { ?s ?p ?o FILTER(?s<'>'||EXISTS{ " + CALL + " }) }#' \n",
    "behind three quotes that open no long string": "SELECT * { VALUES ?o {'''x'} " + CALL + " }",
    "behind a long string with a bad escape": "SELECT * { VALUES ?o {'''a' } " + CALL + " #\\x'''\n}",
    "behind a long string with half a surrogate pair": "SELECT * { VALUES ?o {'''a' } " + CALL + " #\\uD800'''\n}",
    "behind a name with two dots": "PREFIX a: <http://x/> SELECT * { ?s ?p a:b.c." + CALL + " }",
    "in a name that is no IRI because of a port": "PREFIX a: <http://x:80> SELECT * { ?s a:1SERVICE<http://h/> {} }",
    "in a name that is no IRI because of a fragment":
        "PREFIX a: <http://x/#> PREFIX b: <http://h/> SELECT * { ?s ?p a:SERVICEb:x\\#y{} }",
    "in a name that is no IRI because of a character":
        "PREFIX \ufffd: <http://h/> SELECT * { ?s rdf:1.5SERVICE\ufffd:x.y{} }",
    "behind a name that is three": "PREFIX a: <http://x/#> PREFIX b: <http://x/#> PREFIX c.e: <http://x/> SELECT * { "
        "a:b:c.e:d.f\\#\\' . " + CALL + " #' \n }",
    "escaped": "SELECT * { \\u0053ERVICE <http://h/> {} }",
    "escaped, long": "SELECT * { S\\U00000045RVICE <http://h/> {} }",
    "behind an escaped line end in a comment": "SELECT * { # x\\u000A SERVICE <http://h/> {} }",
    "nested": "SELECT * { ?s ?p ?o FILTER NOT EXISTS { SELECT * { SERVICE <http://h/> {} } } }",
    "load": "LOAD <http://h/x.ttl>",
    "load silent": "load silent <file:///etc/passwd> into graph <http://g>",
    "insert": "INSERT DATA { <http://a> <http://b> 1 }",
    "delete": "DELETE WHERE { ?s ?p ?o }",
    "drop": "DROP ALL",
    "second operation": "SELECT * { ?s ?p ?o } ; CLEAR ALL",
    "from a file": "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    "from named, a file by prefix": "PREFIX f: <FILE:///etc/> ASK FROM NAMED f:passwd { ?s ?p ?o }",
}  # fmt: skip

ALLOWED = {
    "variables": "SELECT ?service $LOAD { ?service ?insert $LOAD }",
    "prefixed names": "PREFIX service: <http://x/> SELECT * { ?s ex:service service:load . ?s service:x ex:insert }",
    "prefixed graph": "PREFIX service: <http://x/> SELECT * FROM service:g { GRAPH service:g { ?s ?p ?o } }",
    "described": "PREFIX service: <http://x/> DESCRIBE service:g",
    "IRIs": "SELECT * { <http://x/service> <http://x/#LOAD> <urn:service> }",
    "IRI after a variable": "SELECT * { ?s <http://x/y#service> ?o . ?s <http://x/it's> 'SERVICE' }",
    "strings": """SELECT * { ?s ?p "SERVICE", 'LOAD', \"""say "SERVICE" \n it's LOAD\""", '''INSERT 'x' ''' }""",
    "strings with escapes": r"""SELECT * { ?s ?p "\"SERVICE", 'it\'s a SERVICE', "\\", "\u0053ERVICE" }""",
    "comments": "SELECT * { ?s ?p ?o } # SERVICE <http://h/> \n# LOAD",
    "comment ended by CR": "SELECT * # SERVICE\r { ?s ?p ?o }",
    "language tags": "SELECT * { ?s ?p 'x'@en-service, 'y'@load }",
    "blank nodes": "SELECT * { _:service ?p _:load.service }",
    "escaped names": r"SELECT * { ?s ex:a\'b\' ex:a\#service }",
    "names with colons and dots": "SELECT * { ?s ex:a:service ex:my.service . ?s ex:service:a <x> }",
    "comparison": "SELECT * { ?s ?p ?o FILTER(?o<3&&?o>1) FILTER(?o < ?p) }",
    "not SPARQL at all": "hello \x00 '",
    "empty": "",
}


@pytest.mark.parametrize("query", REFUSED.values(), ids=REFUSED.keys())
def test_refused(query: str) -> None:
    with pytest.raises(Forbidden) as caught:
        GATE.check(query)
    assert caught.value.place.startswith("query:")


@pytest.mark.parametrize("query", ALLOWED.values(), ids=ALLOWED.keys())
def test_allowed(query: str) -> None:
    GATE.check(query)


def test_the_error_names_line_and_column() -> None:
    for query in ("SELECT *\n{ 'é中' . sErViCe <x> {} }", "SELECT *\n{ 'é中' . s\\u0045rViCe <x> {} }"):
        with pytest.raises(Forbidden, match="SERVICE is not allowed") as caught:
            GATE.check(query)
        assert caught.value.place == "query:2:10"


@pytest.mark.parametrize(
    ("query", "form", "has_dataset", "graphs"),
    [
        ("SELECT * { ?s ?p ?o }", "SELECT", False, ()),
        ("# ASK\nPREFIX ask: <http://x/> BASE <http://x/> construct { } where { ?s ?from ?o }", "CONSTRUCT", False, ()),
        ("ASKFROM<http://g>{}", "ASK", True, ("http://g",)),
        ("prefix g: <http://g/> ask from g:a from named g:b { FILTER('FROM' = ?x) }", "ASK", True,
         ("http://g/a", "http://g/b")),
        ("PREFIX : <http://g> SELECT * FROM:{}", "SELECT", True, ()),
        ("DESCRIBE <http://x> FROM NAMED <http://\\u0067>", "DESCRIBE", True, ("http://g",)),
        ("SELECT * FROM <relative> {}", "SELECT", True, ()),
        ("SELECT ?from { ?from ex:from 'FROM' }", "SELECT", False, ()),
        ("no query", "", False, ()),
    ],
)  # fmt: skip
def test_the_head_of_a_query(query: str, form: str, has_dataset: bool, graphs: tuple[str, ...]) -> None:
    shape = GATE.check(query)
    assert (shape.form, shape.has_dataset, shape.graphs) == (form, has_dataset, graphs)


# What a lexer can be led astray with, in places where the grammar allows it.
CALLS = (
    "SERVICE<http://127.0.0.1:1/>{}", "SERVICE:{}", "service:a{}", "SERVICE?s{}", "servicea:b{}", "SERVICE SILENT :b{}",
    "SERVICE\ufffd:x.y{}", "SERVICEb:x\\#y{}", "SERVICEb:x.\\#y.z{}",
)  # fmt: skip
HOLES = ("", " ", "\n", "\r", "#", "#\n", "'", '"', "'''", '"""', "#'''\n",
         "#'\n", "\\", "#\\x'''\n", ".", "}", "{", ":", "1", "\ufffd")
TERMS = (
    "?s", "a:b", "a:b.c", ":", "<http://x/#y>", "<a:b#c>", "<a:it's>", "1", "1e5", "1.", "true", "'x'", "'''x'", "''",
    "'''a'", '"""x"', "'x'@en", "'x'@en--ltr", "'x'^^a:b", "_:b", "a:\\'", "a:%41", "[]", "()", "'''\\x'''",
    "'\\u0027'", "'SERVICE'", "<a:SERVICE>", "'''\\ud800'''", "h:1", "f:b:c\\#", "f:f:c.e:d.f\\#\\'", "f:c.e:d.f\\#\\'",
    "h:a.b:", "f:1", "a:b.c.d", "f:1.5", "a:b\ufffd", "f:\ufffd:a",
)  # fmt: skip
TESTS = (
    "?s<?p", "?s<?p#>", "?s<'>'", "?s<a:b#>", "?s<a:b&&?s>?p", "?s<1#'>", "'a'<'b'", "?s<''", "?s < '''>'''",
    "?s<?p#'>",
)  # fmt: skip
ENDS = ("", "#'\n", "#'''\n", '#"""\n', "#\\x'''\n")
# h: makes no IRI with any local part, f: with none that holds a second "#".
PREFIXES = {"": "", "a": "", "b": "", "c.e": "", "\ufffd": "", "h": "80", "f": "#"}
PROLOGUE = "".join(f"PREFIX {name}: <http://127.0.0.1:1{end or '/'}> " for name, end in PREFIXES.items()) + "ASK { "
STORE = ox.Store()


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Patterns between which a call stands, each followed by something that may swallow or uncover it."""
    hole, call, term = st.sampled_from(HOLES), st.sampled_from(CALLS), st.sampled_from(TERMS)
    parts: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from("cctfvh"))
        if kind == "c":
            parts.append(draw(call))
        elif kind == "t":
            parts.append(f"{draw(st.sampled_from(('?s a:p ', '?s ', '')))}{draw(term)}")
        elif kind == "f":
            parts.append(f"FILTER({draw(st.sampled_from(TESTS))}{draw(hole)}||EXISTS{{{draw(call)}}})")
        elif kind == "v":
            parts.append(f"VALUES ?v {{{draw(term)}{draw(hole)}}}")
        parts.append(draw(hole))
    return "".join(parts)


def parses(query: str) -> bool:
    try:
        STORE.query(query, prefixes={"service": "http://127.0.0.1:1/", "xervice": "http://127.0.0.1:1/"})
    except SyntaxError:
        return False
    except (OSError, RuntimeError, ValueError):
        pass  # parsed, and failed when it ran: the port is not reachable
    return True


def check_against_parser(body: str) -> bool:
    """Where the gate lets a query pass, SERVICE must be no keyword in it. Was it refused, and is it a query?"""
    query = PROLOGUE + body + " }"
    try:
        GATE.check(query)
    except Forbidden:
        return parses(query)
    # Where the word is no keyword, another word of its length does as well; where it is one, the parser now fails.
    assert not parses(query) or parses(query.replace("SERVICE", "XERVICE").replace("service", "xervice")), query
    return False


def test_no_call_hides_between_a_term_and_a_comment() -> None:
    refused = 0
    for end, call in itertools.product(ENDS, CALLS):
        for term, hole in itertools.product(TERMS, ("", "#\n")):
            refused += check_against_parser(f"?s a:p {term}{hole}{call}{end}")
            refused += check_against_parser(f"?s {term}{hole}{call}{end}")
            refused += check_against_parser(f"VALUES ?v {{{term}{hole}}}{call}{end}")
        for test, hole in itertools.product(TESTS, ("", "#'''\n")):
            refused += check_against_parser(f"FILTER({test}{hole}||EXISTS{{{call}}}){end}")
    assert refused > 1000  # the cases are real calls


@settings(max_examples=500, deadline=None)
@given(bodies())
@example("VALUES ?s{'''x'}SERVICE<http://127.0.0.1:1/>{}")
@example("?s ?p ?o FILTER(?s<?p#>'''\n&&EXISTS{SERVICE<http://127.0.0.1:1/>{}})#'''\n")
@example("?s ?p ?s.SERVICE:{}")
def test_no_call_hides_in_a_random_body(body: str) -> None:
    check_against_parser(body)


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_word_in_a_string_passes(text: str) -> None:
    literal = str(ox.Literal(text + " SERVICE <http://h/> { LOAD } " + text))
    GATE.check("SELECT * { ?s ?p " + literal + " } # " + text.replace("\n", "").replace("\r", "").replace("\\", ""))


@pytest.mark.parametrize("piece", ["<#a>", "a.", "中", "'''\\x", "'", "\\u0041", "service:a ", "{", '"""\\"'])
def test_time_grows_with_length_only(piece: str) -> None:
    def seconds(length: int) -> float:
        query = piece * (length // len(piece))
        started = time.process_time()
        GATE.check(query)
        return time.process_time() - started

    assert seconds(100_000) < 2.0  # quadratic behaviour took minutes
