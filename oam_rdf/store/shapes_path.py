"""SHACL property paths as SPARQL text, the repeating ones included (SHACL §2.3.1).

:mod:`oam_rdf.paths` reads the one-hop paths that a walker follows; a report must show whatever path a shape has.
"""

from __future__ import annotations

from pyoxigraph import NamedNode

from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import RDF, SH
from oam_rdf.paths import Lookup, rdf_list

_REPEATED = {"zeroOrMorePath": "*", "oneOrMorePath": "+", "zeroOrOnePath": "?"}
_MAX_DEPTH = 32


def path_text(node: object, lookup: Lookup, depth: int = 0) -> str:
    """A path in SPARQL syntax. :raises ConfigError: for what is no path."""
    if depth > _MAX_DEPTH:
        raise ConfigError("a property path contains itself", hint="write the path as a finite tree")
    if isinstance(node, NamedNode):
        return str(node)

    def inner(part: object) -> str:
        text = path_text(part, lookup, depth + 1)
        return text if isinstance(part, NamedNode) else f"({text})"

    for part in lookup(node, SH + "inversePath"):  # type: ignore[arg-type]
        return f"^{inner(part)}"
    for members in lookup(node, SH + "alternativePath"):  # type: ignore[arg-type]
        return "|".join(inner(part) for part in rdf_list(members, lookup))
    for name, sign in _REPEATED.items():
        for part in lookup(node, SH + name):  # type: ignore[arg-type]
            return f"{inner(part)}{sign}"
    if lookup(node, RDF + "first"):  # type: ignore[arg-type]
        return "/".join(inner(part) for part in rdf_list(node, lookup))
    raise ConfigError(f"unknown kind of property path at {node}", hint="use a predicate, ^, |, / or a repetition")
