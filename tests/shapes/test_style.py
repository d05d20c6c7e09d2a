"""The style shapes of the ontology: each passes and fails where its example says, in both engines."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from pyoxigraph import DefaultGraph, NamedNode, RdfFormat, Triple, parse, serialize

from oam_rdf.namespaces import SHAPES
from oam_rdf.resources import shapes_dir
from oam_rdf.store.shacl import Validator
from oam_rdf.store.shapes import Shapes
from oam_rdf.store.shapes_lint import lint

STYLE = shapes_dir() / "style"


def examples() -> dict[str, str]:
    graphs: dict[str, list[Triple]] = defaultdict(list)
    common: list[Triple] = []
    for quad in parse(path=str(Path(__file__).parent / "style" / "ontology.trig"), format=RdfFormat.TRIG):
        if isinstance(quad.graph_name, DefaultGraph):
            common.append(quad.triple)
        else:
            graphs[quad.graph_name.value.removeprefix("http://oam.localhost/")].append(quad.triple)
    return {
        name: (serialize(common + triples, format=RdfFormat.N_TRIPLES) or b"").decode()
        for name, triples in graphs.items()
    }


EXAMPLES = examples()


def shape_of(example: str) -> str:
    return SHAPES + example.partition("/")[2].partition(".")[0]


@pytest.mark.parametrize("engine", ["shacl", "pyshacl"])
@pytest.mark.parametrize("example", sorted(EXAMPLES))
def test_an_example_fails_only_where_it_says(example: str, engine: str) -> None:
    report = Validator(engine, STYLE).validate(EXAMPLES[example])
    assert {r.shape for r in report.results} == ({shape_of(example)} if example.startswith("fail") else set())
    assert all(r.messages.keys() >= {"en", "zh-Hant"} for r in report.results)


def test_every_style_shape_has_both_kinds_of_example() -> None:
    shapes = Shapes.load(STYLE)
    reporting = {n.value for n in shapes.facts if isinstance(n, NamedNode) and shapes.messages(n.value)}
    for kind in ("pass", "fail"):
        assert {shape_of(name) for name in EXAMPLES if name.startswith(kind)} == reporting


def test_the_style_shapes_are_linted_too() -> None:
    assert lint(STYLE) == ()
