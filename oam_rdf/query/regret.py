"""What hard conditions cost, per query (paper §7.2, §7.3): the share of the best hits that they removed.

Without judgements nobody knows which of them were relevant, so this is an upper bound of the paper's filter regret
(Recall unfiltered − Recall filtered); evaluation with judgements computes the thing itself.
"""

from __future__ import annotations

import numpy as np

from oam_rdf.query.trace import State


def regret(state: State) -> State:
    """Note ``share`` (of the k best lexical hits among all that may be seen, in [0, 1]) and ``by`` condition."""
    if not state.blocked or state.lexical is None:
        return state.note("regret", share=0.0, of=0, by={})
    best = state.lexical.best(state.plan.form.k)
    out = best[~state.passages[best]]
    documents = state.snapshot.passage_document[out] if len(out) else np.zeros(0, dtype=np.int64)
    by = {name: int(mask[documents[documents >= 0]].sum()) for name, mask in sorted(state.blocked.items())}
    share = round(len(out) / len(best), 4) if len(best) else 0.0
    return state.note("regret", share=share, of=len(best), by={name: count for name, count in by.items() if count})
