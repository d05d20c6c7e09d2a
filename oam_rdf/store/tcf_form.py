"""The form of TCF-lite 0.1 that importer and exporter share (formats.md, 3).

An entry is written as what the graph says of it (``said``, under the keys of the format) and a *remainder*: a JSON object
that holds only what the graph does not carry, ``set`` (keys that it lacks or has otherwise, unknown ones included) and
``drop`` (keys that the graph implies and the source does not have). ``rows`` are members of lists that are no entries.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from oam_rdf.ontology import Ontology

#: The lists of entries, and the class that each of their entries has.
CLASSES = {"primitives": "Primitive", "axioms": "Axiom", "theorems": "Theorem", "concepts": "Concept"}
#: How ``dag`` calls the entries of a list.
DAG_KINDS = {"axioms": "axiom", "theorems": "theorem"}
#: Roles of a concept: the relation that the document has to it.
ROLES = ("defines", "uses", "extends", "applies", "critiques")
#: Keys of the document that are kept as fields in their own words where they are texts.
FIELDS = ("theory_name", "notes")
#: What the id of the document is called beyond that of its work.
SUFFIX = ".tcf"
_TITLES = (" (TCF)", "（TCF）")

Json = dict[str, Any]


def title(work: str, language: str) -> str:
    """The title of the extract of a work."""
    return work + _TITLES[language.startswith("zh")]


def work_title(written: str) -> str:
    """The title of the work, out of that of its extract."""
    return next((written.removesuffix(end) for end in _TITLES if written.endswith(end)), written)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1, 1.0 and true are three."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(written: Mapping[str, Any], said: Mapping[str, Any]) -> Json:
    """The remainder of ``written`` beyond ``said``; empty when they are equal."""
    put = {key: value for key, value in written.items() if key not in said or not same(value, said[key])}
    drop = [key for key in said if key not in written]
    return ({"set": put} if put else {}) | ({"drop": drop} if drop else {})


def text_of(remainder: Mapping[str, Any]) -> str:
    """A remainder as it is stored; "" for an empty one."""
    return json.dumps(remainder, ensure_ascii=False, sort_keys=True) if remainder else ""


def restored(said: Mapping[str, Any], remainder: Mapping[str, Any]) -> Json:
    """What was written, of what is said and the remainder."""
    dropped = set(remainder.get("drop", ()))
    kept = {key: value for key, value in said.items() if key not in dropped}
    return kept | dict(remainder.get("set", {}))


def with_rows(members: Mapping[int, Any], rows: Mapping[str, Any]) -> list[Any]:
    """A list of its members by place and of those that are no entries."""
    every = dict(members) | {int(place): row for place, row in rows.items()}
    return [every[place] for place in sorted(every)]


def axioms_among(targets: Iterable[str], axioms: Sequence[str]) -> list[str]:
    """``from_axioms`` as the edges imply it: the axioms that an entry depends on, in the order of the document."""
    found = set(targets)
    return [axiom for axiom in axioms if axiom in found]


def dag_row(identifier: str, kind: str, targets: Iterable[str], order: Sequence[str]) -> Json:
    """A row of ``dag`` as the edges imply it: known ids in the order of the document, then the dangling ones as met."""
    met = list(dict.fromkeys(targets))
    known = [name for name in dict.fromkeys(order) if name in met]
    return {"id": identifier, "kind": kind, "depends_on": known + [name for name in met if name not in set(known)]}


def confidence(value: Any) -> float | None:
    """A confidence that the graph carries to the last digit (it keeps two), else None."""
    if not isinstance(value, float) or not 0 <= value <= 1 or math.copysign(1, value) < 0:
        return None
    return value if float(f"{value:.2f}") == value else None


def date(moment: str) -> str:
    """A stored moment as the source most likely wrote it: without the time where it is midnight."""
    return moment.removesuffix("T00:00:00Z")


def notations() -> Mapping[str, str]:
    """IRI of a relation -> the first of its names."""
    return _notations(Ontology.load())


@lru_cache(maxsize=4)
def _notations(ontology: Ontology) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, kind in ontology.relations.items():
        if not kind.inverse:
            found.setdefault(kind.iri, name)
    return found


def canonical(name: str) -> str:
    """The first name of the relation that ``name`` names; "" if it reads the relation backwards."""
    known = Ontology.load().relations[name]
    return "" if known.inverse else notations()[known.iri]
