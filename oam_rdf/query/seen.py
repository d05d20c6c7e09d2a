"""Which passages a clearance may see (decision D16)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.index.columns import Array

if TYPE_CHECKING:
    from oam_rdf.query.snapshot import Snapshot


def visible_passages(snapshot: Snapshot) -> Array:
    """``bool[passages]``: passages of visible documents that no hidden object's span touches."""
    passages, facets = snapshot.passages, snapshot.facets
    seen: Array = (snapshot.passage_document >= 0) & snapshot.visible[np.maximum(snapshot.passage_document, 0)]
    home = facets.document[facets.span_owner]
    hidden = ~snapshot.visible[facets.span_owner] & (home >= 0) & snapshot.visible[np.maximum(home, 0)]
    for document in np.unique(home[hidden]).tolist():
        rows = snapshot.passages_of(document)
        original = snapshot.original_of(document)
        try:
            ranges = snapshot.hidden(original)
        except (NotFound, Damaged) as error:  # nothing of it can be shown then
            snapshot.note("originals", str(error))
            seen[rows] = False
            continue
        for start, end in ranges:
            seen[rows[(passages.start[rows] < end) & (passages.end[rows] > start)]] = False
    owners = snapshot.inline_owner
    seen &= (owners < 0) | snapshot.visible[np.maximum(owners, 0)]
    return seen
