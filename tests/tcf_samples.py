"""The TCF-lite fixtures of ``data/tcf`` and what they hold on purpose."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

FOLDER = Path(__file__).resolve().parent.parent / "data" / "tcf"
EXTRACTS = ("colour-1.tcf.json", "fix-1.tcf.json", "order-1.tcf.json")
PAPERS = ("colour-1.md", "fix-1.md", "order-1.md")
VERDICTS = "edge-verdicts.json"
EVERYTHING = (*EXTRACTS, *PAPERS, VERDICTS)


def content(name: str) -> bytes:
    """The bytes of a fixture."""
    return (FOLDER / name).read_bytes()


def value(name: str) -> dict[str, Any]:
    """A JSON fixture as its value."""
    return dict(json.loads(content(name)))


# -- any TCF-lite object ----------------------------------------------------------------------------------------------

_words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
_ids = st.sampled_from(["ax-1", "ax-2", "th-1", "th-2", "lm-1", "rel1", "a.b", "a#b", "公理", "span"]) | _words
_odd = st.none() | st.booleans() | st.integers(-2, 3) | st.floats(0, 2, allow_nan=False) | st.lists(_words, max_size=2)
_text = _words | _words | _odd
_names = st.lists(_ids | _odd, max_size=4) | _odd


def _some(**keys: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.fixed_dictionaries({}, optional=keys | {"x_extra": _text})


def _members(entry: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(entry | entry | entry | _odd, max_size=4) | _odd


TCF = st.fixed_dictionaries(
    {"tcf_extract_version": _text, "id": st.sampled_from(["P-1", " P 2 ", "論文", "P/3#x"])},
    optional={
        "title": _text, "language": _text | st.sampled_from(["en", "zh-Hant", "zh-TW"]), "source_file": _text,
        "theory_name": _text, "extracted_by": _text, "extraction_date": _text | st.just("2026-05-01"), "notes": _text,
        "canonical_status": _text | st.sampled_from(["draft", "superseded", "Reviewed"]),
        "primitives": _members(_some(symbol=_text, kind=_text | st.just("type"), description=_text, evidence=_text)),
        "axioms": _members(_some(id=_ids | _odd, name=_text, formula=_text, description=_text, evidence=_text)),
        "theorems": _members(
            _some(id=_ids | _odd, name=_text, statement=_text, from_axioms=_names, description=_text, evidence=_text)
        ),
        "dag": _members(_some(id=_ids | _odd, kind=_text | st.just("axiom"), depends_on=_names)),
        "concepts": _members(_some(name=_text, canonical=_text, role=_text | st.just("defines"), evidence=_text)),
        "external_refs": _members(
            _some(target=_text | st.just("P-1"), type=_text | st.sampled_from(["uses", "used_by", "requires"]),
                  evidence=_text, confidence=_odd | st.floats(0, 1) | st.sampled_from([0.5, 0.25, 1.0, 0.0, -0.0]))
        ),
        "x: y": _text, "a.b": _text, "representations.sparse_terms": _text,
    },
)  # fmt: skip


def same_json(one: object, other: object) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
