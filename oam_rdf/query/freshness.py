"""Freshness: a bounded factor on the score (decision D27). Old and right stays findable (hazard 73)."""

from __future__ import annotations

import numpy as np

from oam_rdf.index.facet_table import BEGINNING
from oam_rdf.query.trace import Candidate, State

FLOOR = 0.85
_DAY = 86_400.0
_EXEMPT = ("DEFINITION", "FORMALLY_PROVED")
_OFF = ("VERSION_TRACE", "SOURCE_TRACE")


def off(state: State) -> str:
    """Why freshness does not count for this query, "" if it does."""
    if state.plan.scoring.half_life <= 0:
        return "switched off"
    if any(route in _OFF for route in state.plan.routes):
        return "a version or source is traced"
    return "an id is named" if state.ids else ""


def now(state: State) -> float:
    """Seconds since 1970 that ages are counted to: the newest commit of the generation, so that a replay agrees."""
    committed = np.asarray(state.snapshot.facets.committed)
    known = committed[state.snapshot.visible & (committed > BEGINNING)]
    return float(known.max()) / 1e6 if len(known) else 0.0


def freshness(state: State, candidate: Candidate, moment: float) -> float:
    """The factor, in [0.85, 1]: 0.85 + 0.15 · 2^(−age / half-life); 1 for what is exempt or carries no date."""
    facets, row = state.snapshot.facets, candidate.row
    if candidate.pin or candidate.history is not None or row < 0:
        return 1.0
    if facets.column("epistemic_state")[row] in _EXEMPT or facets.column("kind")[row] in _EXEMPT:
        return 1.0
    begins = int(state.snapshot.begins[row])
    if begins <= BEGINNING or moment <= 0:
        return 1.0
    age = max(0.0, moment - begins) / _DAY
    return float(FLOOR + (1.0 - FLOOR) * 2.0 ** (-age / state.plan.scoring.half_life))
