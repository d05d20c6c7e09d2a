"""Everything out again as RDF: documents' graphs or all of them, in a deterministic order (formats.md, "Out")."""

from __future__ import annotations

from pyoxigraph import Quad, Triple

from oam_rdf.namespaces import PREFIXES, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.store.rdf_formats import FORMATS, TRIPLES, check, used, write
from oam_rdf.store.readable import Layout
from oam_rdf.store.selection import ASSERTED, COMMITTED, TCF, Selection

# Schemes that have no short prefix go by their own names.
_SCHEMES = {name: iri for name, iri in SCHEMES.items() if iri not in PREFIXES.values()}

__all__ = ["FORMATS", "Selection", "serialize", "serialize_tcf"]


def serialize(selection: Selection, fmt: str) -> bytes:
    """In a quad format all graphs of the selected documents but the inferred ones (they are made anew) and, where the
    selection has a history, the old texts; in a triple format the assertion graphs alone, merged.

    :raises UsageError: for an unknown format, and for what RDF/XML cannot say.
    """
    check(fmt)
    quads = sorted(selection.quads(ASSERTED if fmt in TRIPLES else None), key=_order)
    prefixes = used(PREFIXES | selection.minter.prefixes(), quads)
    return write(list(dict.fromkeys(quad.triple for quad in quads)) if fmt in TRIPLES else quads, fmt, prefixes)


def serialize_tcf(selection: Selection, fmt: str) -> bytes:
    """What documents say, how it was tagged and judged and where it comes from, merged into one graph.

    Nothing inferred, nothing about this knowledge base. Turtle and TriG are laid out for people
    (:mod:`oam_rdf.store.readable`); every format holds the same triples, in quad formats in the default graph.

    :raises UsageError: for an unknown format, and for what RDF/XML cannot say.
    """
    check(fmt)
    kept = (quad for quad in selection.quads(TCF) if quad.predicate.value != COMMITTED)
    triples = list(dict.fromkeys(quad.triple for quad in sorted(kept, key=lambda quad: _order(quad)[1:])))
    base = selection.minter.base
    more = _SCHEMES | {name: f"{base}{name}/" for name in ("run", "agent")}
    prefixes = used(more | PREFIXES | selection.minter.prefixes(), triples)
    if fmt in ("turtle", "trig"):
        return Layout(triples, prefixes, Ontology.load()).text()
    return write(triples, fmt, prefixes)


def _order(quad: Quad | Triple) -> tuple[str, str, bool, str, str]:
    # rdf:type first under each subject, as a person would write it.
    is_type = quad.predicate.value.endswith("#type")
    graph = str(quad.graph_name) if isinstance(quad, Quad) else ""
    return (graph, str(quad.subject), not is_type, quad.predicate.value, str(quad.object))
