"""The failing examples under tests/shapes, by shape."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from pyoxigraph import DefaultGraph, RdfFormat, Triple, parse, serialize

from oam_rdf.namespaces import SHAPES

FOLDER = Path(__file__).resolve().parent.parent / "shapes"
_FAIL = "http://oam.localhost/fail/"


def failing_examples() -> dict[str, list[str]]:
    """Shape IRI -> N-Triples of each example that must fail it (the default graph of its file included)."""
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(FOLDER.glob("*.trig")):
        common: list[Triple] = []
        graphs: dict[str, list[Triple]] = defaultdict(list)
        for quad in parse(path=str(file), format=RdfFormat.TRIG):
            home = common if isinstance(quad.graph_name, DefaultGraph) else graphs[quad.graph_name.value]
            home.append(quad.triple)
        for name, triples in sorted(graphs.items()):
            if name.startswith(_FAIL):
                text = (serialize(common + triples, format=RdfFormat.N_TRIPLES) or b"").decode()
                found[SHAPES + name.removeprefix(_FAIL).partition(".")[0]].append(text)
    return found
