"""IRIs for the blank nodes of a file that depend on what they say, not on the order in which a parser meets them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from pyoxigraph import BlankNode, NamedNode, Quad, Triple

# Enough for what people write; a full canonical form takes exponential time on files made to hurt.
_ROUNDS = 24
_TIES = 64
_SMALL = 1000  # quads of a component that is worth the time


def names(quads: Sequence[Quad], document: str) -> dict[BlankNode, NamedNode]:
    """``<document>#genid-HASH`` for each blank node.

    Nodes that hang together are named together: each gets a hash of everything said of it, refined by the hashes of
    its neighbours until all differ. Components that say exactly the same get ``-2``, ``-3`` …; which of them gets which
    makes no difference. More than 64 nodes of one component that cannot be told apart fall back to their order
    of appearance.
    """
    found: dict[BlankNode, NamedNode] = {}
    used: dict[str, int] = {}
    for nodes, own in _components(quads):
        colours = _told_apart(nodes, own)
        whole = _digest(sorted(_line(quad, colours) for quad in own))
        for node in nodes:
            name = _digest([whole, colours[node]])[:16]
            used[name] = used.get(name, 0) + 1
            suffix = f"-{used[name]}" if used[name] > 1 else ""
            found[node] = NamedNode(f"{document}#genid-{name}{suffix}")
    return found


def blank_nodes(term: Any) -> Iterator[BlankNode]:
    """The blank nodes of a quad, triple or term."""
    if isinstance(term, BlankNode):
        yield term
    elif isinstance(term, Quad | Triple):
        for part in (term.subject, term.object, *((term.graph_name,) if isinstance(term, Quad) else ())):
            yield from blank_nodes(part)


def _components(quads: Sequence[Quad]) -> Iterator[tuple[list[BlankNode], list[Quad]]]:
    above: dict[BlankNode, BlankNode] = {}

    def top(node: BlankNode) -> BlankNode:
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    members: list[tuple[BlankNode, Quad]] = []
    for quad in quads:
        first: BlankNode | None = None
        for node in blank_nodes(quad):
            above.setdefault(node, node)
            if first is None:
                first = node
                members.append((node, quad))
            else:
                above[top(node)] = top(first)
    groups: dict[BlankNode, tuple[list[BlankNode], list[Quad]]] = {}
    for node in above:
        groups.setdefault(top(node), ([], []))[0].append(node)
    for node, quad in members:
        groups[top(node)][1].append(quad)
    yield from groups.values()


def _told_apart(nodes: Sequence[BlankNode], quads: Sequence[Quad]) -> dict[BlankNode, str]:
    about: dict[BlankNode, list[Quad]] = {node: [] for node in nodes}
    for quad in quads:
        for node in dict.fromkeys(blank_nodes(quad)):
            about[node].append(quad)
    colours = _refined(dict.fromkeys(nodes, ""), about)
    for _ in range(_TIES if len(quads) <= _SMALL else 0):
        if len(set(colours.values())) == len(nodes):
            return colours
        counts: dict[str, int] = {}
        for colour in colours.values():
            counts[colour] = counts.get(colour, 0) + 1
        tied = min(colour for colour, count in counts.items() if count > 1)
        one = next(
            node for node in nodes if colours[node] == tied
        )  # nearly always mirror images of each other: any will do
        colours = _refined({**colours, one: _digest([tied, "first"])}, about)
    seen: dict[str, int] = {}
    for node in nodes:
        colour = colours[node]
        seen[colour] = seen.get(colour, 0) + 1
        colours[node] = _digest([colour, str(seen[colour])])
    return colours


def _refined(colours: dict[BlankNode, str], about: dict[BlankNode, list[Quad]]) -> dict[BlankNode, str]:
    kinds = len(set(colours.values()))
    for _ in range(_ROUNDS):
        colours = {
            node: _digest([colours[node], *sorted(_line(quad, colours, node) for quad in own)])
            for node, own in about.items()
        }
        now = len(set(colours.values()))
        if now in (kinds, len(about)):
            break
        kinds = now
    return colours


def _line(quad: Quad, colours: dict[BlankNode, str], this: BlankNode | None = None) -> str:
    def shown(term: Any) -> str:
        if isinstance(term, BlankNode):
            return "_:this" if term == this else f"_:{colours[term]}"
        if isinstance(term, Triple):
            return f"<<{shown(term.subject)} {term.predicate} {shown(term.object)}>>"
        return str(term)

    return " ".join(map(shown, (quad.subject, quad.predicate, quad.object, quad.graph_name)))


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
