"""Every shape has an example that passes and one that fails, and both engines say the same of all of them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.namespaces import SH, SHAPES
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes import Shapes

HERE = Path(__file__).parent


def examples() -> dict[str, str]:
    """``pass/Statement-state`` → N-Triples: the named graph with the default graph of its file."""
    found: dict[str, str] = {}
    for file in sorted(HERE.glob("*.trig")):
        graphs: dict[str, list[Triple]] = defaultdict(list)
        common: list[Triple] = []
        for quad in parse(path=str(file), format=RdfFormat.TRIG):
            if isinstance(quad.graph_name, DefaultGraph):
                common.append(quad.triple)
            else:
                graphs[quad.graph_name.value].append(quad.triple)
        for name, triples in graphs.items():
            text = serialize(common + triples, format=RdfFormat.N_TRIPLES)
            assert text is not None
            found[name.removeprefix("http://oam.localhost/")] = text.decode()
    return found


EXAMPLES = examples()


def shape_of(example: str) -> str:
    return SHAPES + example.partition("/")[2].partition(".")[0]


def owner(shapes: Shapes, shape: str) -> str:
    """The shape with the target: itself, or the node shape that names it as its property."""
    if shape in shapes.targeted:
        return shape
    return next(node for node in shapes.targeted if NamedNode(shape) in shapes.lookup(NamedNode(node), SH + "property"))


@pytest.fixture(scope="module")
def shapes() -> Shapes:
    return Shapes.load()


@pytest.mark.parametrize("engine", ["shacl", "pyshacl"])
@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_an_example_meets_its_shape_and_fails_only_where_it_says(example: str, engine: str, shapes: Shapes) -> None:
    shape = shape_of(example)
    report = Validator(engine).validate(EXAMPLES[example])
    assert report.focus_nodes[owner(shapes, shape)] > 0
    expected = {shape} if example.startswith("fail/") else set()
    assert {result.shape for result in report.results} == expected, report.to_text()
    for result in report.results:
        assert result.messages.keys() >= {"en", "zh-Hant"}
        assert report.conforms == (result.severity != "Violation")


@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_both_engines_report_the_same_pairs(example: str) -> None:
    pairs = [
        sorted(
            (r.focus if not r.focus.startswith("_:") and ":" in r.focus else "blank", r.component)
            for r in Validator(engine).validate(EXAMPLES[example]).results
        )
        for engine in ("shacl", "pyshacl")
    ]
    assert pairs[0] == pairs[1]


def test_every_shape_that_can_report_has_both_kinds_of_example(shapes: Shapes) -> None:
    reporting = {node.value for node in shapes.facts if isinstance(node, NamedNode) and shapes.messages(node.value)}
    for kind in ("pass", "fail"):
        shown = {shape_of(example) for example in EXAMPLES if example.startswith(kind)}
        assert not reporting - shown, f"without a {kind}ing example: {sorted(reporting - shown)}"
        assert not shown - reporting
