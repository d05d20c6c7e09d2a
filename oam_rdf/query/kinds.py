"""Which of the eight query types of paper §13 a query is, from what was found in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from oam_rdf.query.cues import RELATION, Hit
from oam_rdf.query.names import Names
from oam_rdf.query.questions import ASKING, ASKS_ITSELF, POINTED, WRITINGS

OPPOSING = frozenset(("CRITIQUE.OPPOSING", "COUNTEREXAMPLE.NEAREST"))
_SUCCESSION = frozenset(("supersedes",))
_RELATED = frozenset(("DEPENDENCY.UPSTREAM", "DEPENDENCY.DOWNSTREAM", "DERIVATION.FORWARD"))
_LOOKUP = 8  # matter (content.weight) beyond its names that a lookup may still have
_DEMOTED = ("direction", "route", "query-family", RELATION)


@dataclass(frozen=True, slots=True)
class Kind:
    """``primary`` is the query's type, ``more`` types that it also shows signs of; ``relations`` how many it chains."""

    primary: str
    more: tuple[str, ...] = ()
    relations: int = 0
    hinted: bool = False  # no cue was sure: hints decided


def heard(hits: list[Hit], folded: str, here: bool) -> list[Hit]:
    """The cues that count. In a question about the world ("who succeeded the emperor?") words of succession, opposition or
    relation are content: they are cues only where something here is named (``here``) or writings are spoken of.
    """
    if here or WRITINGS.search(folded) or POINTED.search(folded):
        return hits
    asking = bool(ASKING.search(folded))
    return [
        hit
        for hit in hits
        if not (hit.meaning.scheme == RELATION or (asking and hit.meaning.scheme in _DEMOTED))
        or ASKS_ITSELF.search(folded, hit.start, hit.end)
    ]


def classify(folded: str, hits: Iterable[Hit], names: Names, matter: int, as_of: bool, differs: bool = False) -> Kind:
    """The type of a query.

    :param folded: index key of the text; ``matter``: how much is said beyond names and cues (:func:`content.weight`);
        ``differs``: a comparison is asked for.

    In this order: what speaks against something, versions, the whole corpus, standing and evidence, relations, directions,
    a thing by its name, and else matter. A sure sign of a later type comes before a mere hint of an earlier one.
    """
    by: dict[str, list[Hit]] = {}
    for hit in hits:
        by.setdefault(hit.meaning.scheme, []).append(hit)
    ambiguous = _ambiguous(by.get("direction", ()))
    directions = [hit for hit in by.get("direction", ()) if hit.start not in ambiguous]
    family = {(hit.meaning.notation, hit.meaning.sure) for hit in by.get("query-family", ())}
    routes = {(hit.meaning.notation, hit.meaning.sure) for hit in by.get("route", ())}
    here = bool(names.ids or names.unknown or names.whole or names.mentioned)
    named = here or bool(names.titles or names.quoted or names.codes)
    relations = [hit for hit in by.get(RELATION, ()) if hit.meaning.sure or named or WRITINGS.search(folded)]

    sure = {hit.meaning.notation for hit in directions if hit.meaning.sure}
    vague = {hit.meaning.notation for hit in directions if not hit.meaning.sure}
    states = [h for name in ("epistemic-state", "verification", "evidence-kind") for h in by.get(name, ())]
    standing = any(hit.meaning.sure for hit in states)
    epistemic = standing or ("epistemic-query", True) in family
    onward = {name for name in sure if name not in OPPOSING and not name.startswith("VERSION.")}
    versions = {name for name in sure if name.startswith("VERSION.")} | {
        n for n, s in routes if n == "VERSION_TRACE" and s
    }
    status = {hit.meaning.notation for hit in by.get("version-status", ())}
    chain = len(
        {h.start for h in (*relations, *(h for h in directions if h.meaning.sure and h.meaning.notation in onward))}
    )
    verbs = [hit for hit in relations if hit.meaning.notation not in _SUCCESSION]

    signs: dict[str, bool] = {
        "NEGATIVE": bool(sure & OPPOSING),
        "VERSION": bool(versions) or as_of or "HISTORICAL" in status or len(names.versions) > 1
        or bool(names.versions and (("version-query", False) in family or matter > _LOOKUP or differs))
        or (differs and ("version-query", False) in family),
        "GLOBAL": any(name == "GRAPH_GLOBAL" and certain for name, certain in routes),
        "EPISTEMIC": epistemic,
        "RELATIONAL": bool(relations) or ("relational-query", True) in family,
        "DIRECTIONAL": bool(onward) or ("directional-navigation", True) in family,
    }  # fmt: skip
    order = list(signs)
    # "Stronger evidence" leads somewhere; only a state or kind of evidence that is named asks for standing.
    if signs["DIRECTIONAL"] and signs["EPISTEMIC"] and not standing:
        order.remove("EPISTEMIC")
        order.append("EPISTEMIC")
    # A noun that points somewhere ("its implementation") before a verb that only may be a relation.
    if onward and not any(hit.meaning.sure for hit in relations):
        order.remove("DIRECTIONAL")
        order.insert(order.index("RELATIONAL"), "DIRECTIONAL")
    # "The paper cited by what replaced X" is a chain of relations, succession one of them.
    succession = versions <= {"VERSION.EARLIER", "VERSION.LATER"} and not as_of and not names.versions
    if signs["VERSION"] and succession and any(hit.meaning.sure for hit in verbs):
        order.remove("VERSION")
        order.append("VERSION")
    # What something depends on is a relation as much as a direction: beside another relation it is one of the chain.
    if signs["RELATIONAL"] and onward and onward <= _RELATED:
        order.remove("DIRECTIONAL")
        order.append("DIRECTIONAL")
    if onward == {"REP.COMPRESSED"} and not named and any(name == "GRAPH_GLOBAL" for name, _ in routes):
        signs["GLOBAL"] = True  # a summary of all there is
    found = [kind for kind in order if signs[kind]]
    if found:
        return Kind(found[0], tuple(found[1:]), chain)
    lookup = bool(names.ids or names.unknown or names.whole) or (bool(named or names.versions) and matter <= _LOOKUP)
    pointed = bool(POINTED.search(folded))
    writings = pointed or bool(WRITINGS.search(folded))
    hints = _Hints(by, vague, family, routes, bool(ambiguous), here, here or pointed, lookup, writings)
    return Kind(_hinted(hints), (), chain, True)


@dataclass(frozen=True, slots=True)
class _Hints:
    by: dict[str, list[Hit]]
    directions: set[str]
    family: set[tuple[str, bool]]
    routes: set[tuple[str, bool]]
    ambiguous: bool
    named: bool  # something here is named
    here: bool  # or pointed at
    lookup: bool  # and little else is said
    writings: bool  # writings are spoken of


def _hinted(hints: _Hints) -> str:
    """The type where nothing is sure: hints, then names."""
    if hints.ambiguous:
        return "DIRECTIONAL"
    family = {name for name, _ in hints.family}
    if hints.here or hints.writings:
        if hints.directions & OPPOSING:
            return "NEGATIVE"
        kinds = {hit.meaning.notation for hit in hints.by.get("epistemic-state", ())}
        if "epistemic-query" in family or len(kinds) > 1:
            return "EPISTEMIC"
    if hints.here:
        versions = any(name.startswith("VERSION.") for name in hints.directions)
        if versions or "version-query" in family:
            return "VERSION"
        if hints.directions or "directional-navigation" in family:
            return "DIRECTIONAL"
    if ("GRAPH_GLOBAL", False) in hints.routes and not hints.named:
        return "GLOBAL"
    if "relational-query" in family and (hints.here or hints.writings):
        return "RELATIONAL"
    return "EXACT" if hints.lookup else "SEMANTIC"


def shared(hit: Hit, hits: Iterable[Hit]) -> bool:
    """Whether a phrase points in more than one direction."""
    return any(
        other.start == hit.start
        and other.meaning.scheme == "direction"
        and other.meaning.notation != hit.meaning.notation
        for other in hits
    )


def _ambiguous(directions: Iterable[Hit]) -> set[int]:
    """Where a phrase stands that points in more than one direction (paper §19.10)."""
    at: dict[int, set[str]] = {}
    for hit in directions:
        at.setdefault(hit.start, set()).add(hit.meaning.notation)
    return {start for start, meanings in at.items() if len(meanings) > 1}
