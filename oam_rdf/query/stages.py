"""The stages of retrieval in order, and how they are run (retrieval.md).

Every stage is a function ``State -> State``. They are named, so that a certificate can say how long each took and an
ablation can leave one out. ``rescue`` alone is given the stages before it: it runs them again with a condition relaxed.
Whatever adds candidates is followed by ``admit``, which applies the masks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from oam_rdf.query import asof
from oam_rdf.query.adapt import adapt
from oam_rdf.query.collapse import collapse
from oam_rdf.query.constrain import admit, constrain
from oam_rdf.query.diversify import diversify
from oam_rdf.query.evidence import artifacts
from oam_rdf.query.expand import expand
from oam_rdf.query.fuse import fuse
from oam_rdf.query.gate import gate
from oam_rdf.query.graph import rank_by_walk, recall_graph
from oam_rdf.query.locate import locate
from oam_rdf.query.recall import recall
from oam_rdf.query.regret import regret
from oam_rdf.query.rerank import rerank
from oam_rdf.query.rescue import rescue
from oam_rdf.query.route import route
from oam_rdf.query.score import score
from oam_rdf.query.substitute import substitute
from oam_rdf.query.trace import State

Stage = Callable[[State], State]

FIND: tuple[tuple[str, Stage], ...] = (
    ("route", route),
    ("constrain", constrain),
    ("as_of", asof.mask_edits),
    ("recall", recall),
    ("graph", recall_graph),
    ("walk", rank_by_walk),
    ("adapt", adapt),
    ("fuse", fuse),
    ("history", asof.recall_edits),
    ("locate", locate),
    ("admit", admit),
    ("substitute", substitute),
    ("admit again", admit),
)
RESCUE: tuple[str, Stage] = ("rescue", lambda state: state)
RANK: tuple[tuple[str, Stage], ...] = (
    ("regret", regret),
    ("expand", expand),
    ("admit expanded", admit),
    ("score", score),
    ("rerank", rerank),
    ("collapse", collapse),
    ("diversify", diversify),
    ("artifacts", artifacts),
    ("gate", gate),
)
STAGES: tuple[tuple[str, Stage], ...] = (*FIND, RESCUE, *RANK)
#: What is run even where nothing is retrieved.
_ALWAYS = frozenset(("route", "constrain", "gate"))


def run(state: State, stages: Sequence[tuple[str, Stage]] = STAGES) -> tuple[State, dict[str, float]]:
    """Run the stages; returns the last state and the milliseconds that each took."""
    milliseconds: dict[str, float] = {}
    done: list[tuple[str, Stage]] = []
    for name, stage in stages:
        began = time.perf_counter()
        if name == RESCUE[0]:
            state = rescue(state, lambda fresh: _through(fresh, done))
        elif "NO_RETRIEVAL" not in state.plan.routes or name in _ALWAYS:
            state = stage(state)
        done.append((name, stage))
        milliseconds[name] = round((time.perf_counter() - began) * 1000, 2)
    return state, milliseconds


def _through(state: State, stages: Sequence[tuple[str, Stage]]) -> State:
    for _, stage in stages:
        state = stage(state)
    return state
