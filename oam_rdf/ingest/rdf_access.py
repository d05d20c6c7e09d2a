"""Who may see an RDF file: the narrowest of everything that it says about visibility."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyoxigraph import Literal, NamedNode, Quad

from oam_rdf.ingest import visibility
from oam_rdf.ingest.source import Source


def level(source: Source, quads: Sequence[Quad], lines: Mapping[str, int], tree: Any = None) -> str:
    """The narrowest level, "" if none is stated: by any property that speaks of it, of whatever it is said.

    A file is one document here, so what is said of a graph or an object in it holds for all of it. Keys of JSON-LD
    (``tree``) that no context explains, and comments, count too. An unknown value is RESTRICTED, with an issue.
    """
    levels = []
    reported: dict[str, None] = {}
    for quad in quads:
        if not visibility.named(visibility.local_name(quad.predicate.value)):
            continue
        value = quad.object
        word = value.value if isinstance(value, Literal) else ""
        if isinstance(value, NamedNode):
            word = visibility.local_name(value.value.rstrip("/#")) or value.value
        found = visibility.known(word)
        if not found and (word or str(value)) not in reported:
            reported[word or str(value)] = None
            subject = quad.subject.value if isinstance(quad.subject, NamedNode) else ""
            found = visibility.read(word or str(value), source, lines.get(subject, 0))
        levels.append(found)
    if tree is not None:
        if not levels:
            levels.append(visibility.in_value(tree, source, 0))
    else:
        levels += [said.level for said in visibility.in_lines(source.text) if said.sure and said.level]
    return visibility.narrowest(levels)
