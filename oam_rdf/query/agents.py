"""How people and programs are called that made or judged something."""

from __future__ import annotations

from urllib.parse import unquote

from pyoxigraph import Literal, NamedNode

from oam_rdf.namespaces import RDFS
from oam_rdf.query.snapshot import Snapshot

_LABEL = NamedNode(RDFS + "label")


def agent_name(snapshot: Snapshot, iri: str) -> str:
    """An agent's name: its label where a visible graph gives one, else the end of its IRI."""
    if not iri:
        return ""
    names = snapshot.store.quads_for_pattern(NamedNode(iri), _LABEL, None, None)
    said = (quad.object.value for quad in names if isinstance(quad.object, Literal))
    return min(said, default=unquote(iri.rpartition("/")[2]))
