"""Cue phrases in a query: labels of the ontology, in all its languages at once (retrieval.md, "Plan").

A label may hold the mark ``…`` for a few words in between. The longest phrase claims its characters; a phrase that several
concepts share points to all of them, and the compiler says so. A *sure* cue decides by itself; others (hidden labels, and
names of things that a text may simply be about) only prefer, or decide where nothing else does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from oam_rdf.ontology import Ontology
from oam_rdf.text.normalise import index_key

WRITTEN, SURE, HINT = 0.95, 0.8, 0.5
GAP = "…"
RELATION = "relation"  # relations are properties, not concepts of a scheme
_VAGUE = ("relates_to", "related_to", "see_also", "mentions")  # any relation at all: no reason to walk only these
_BETWEEN = r"[^.?!;。？！；]{0,40}?"
_NOTATION = re.compile(
    r"(?<![\w.:])(?:(?:IOP:)?[A-Za-z]{3,12}[.:][A-Z][A-Z_]{1,30}|[A-Z][A-Z_]{5,30})(?![\w.:])", re.ASCII
)
_SCHEMES = frozenset(
    ("direction", "route", "operator", "role", "epistemic-state", "verification", "evidence-kind", "version-status",
     "query-family")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase points to; ``label`` is the phrase as the ontology has it."""

    scheme: str
    notation: str
    label: str
    sure: bool
    written: bool = False  # by its notation


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found at ``start:end`` of the folded query; ``spans`` are the characters it claims, gaps excluded."""

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]
    meaning: Meaning

    @property
    def confidence(self) -> float:
        return WRITTEN if self.meaning.written else SURE if self.meaning.sure else HINT

    @property
    def origin(self) -> str:
        return f"rule:{'notation' if self.meaning.written else 'cue'} {self.meaning.label}"


@dataclass(frozen=True, slots=True)
class _Phrase:
    key: str
    pattern: re.Pattern[str] | None  # only for phrases with a gap
    meanings: tuple[Meaning, ...]


class Cues:
    """All phrases, by their first two characters (one where a gap follows it). Use :meth:`load`."""

    def __init__(self, ontology: Ontology, relations: Iterable[Meaning]) -> None:
        known: dict[str, dict[tuple[str, str], Meaning]] = {}
        for meaning in (*_of_concepts(ontology), *relations):
            # Folding would turn the mark into three full stops.
            key = GAP.join(index_key(part).strip() for part in meaning.label.split(GAP))
            if len(key.replace(GAP, "").strip()) > 1:
                same = known.setdefault(key, {})
                before = same.get((meaning.scheme, meaning.notation))
                if before is None or (meaning.sure and not before.sure):
                    same[meaning.scheme, meaning.notation] = meaning
        self._by_start: dict[str, list[_Phrase]] = {}
        for key, meanings in known.items():
            ordered = tuple(sorted(meanings.values(), key=lambda m: (m.scheme, m.notation)))
            pattern = _gapped(key) if GAP in key else None
            self._by_start.setdefault(key.partition(GAP)[0][:2], []).append(_Phrase(key, pattern, ordered))

    @classmethod
    def load(cls) -> Cues:
        """The phrases of the vocabulary in force, cached."""
        return _load(Ontology.load())

    def find(self, text: str) -> list[Hit]:
        """Cues in a folded text, in order of place; no two phrases claim the same character."""
        found: list[tuple[int, tuple[tuple[int, int], ...], _Phrase]] = []
        for at in range(len(text) - 1):
            if at and text[at].isascii() and text[at - 1].isascii() and text[at - 1].isalnum() and text[at].isalnum():
                continue  # inside a word
            two, one = self._by_start.get(text[at : at + 2], ()), self._by_start.get(text[at], ())
            for phrase in (*two, *one):
                spans = _at(text, at, phrase)
                if spans:
                    found.append((at, spans, phrase))
        found.sort(key=lambda item: (-sum(b - a for a, b in item[1]), item[0], item[2].key))
        taken = bytearray(len(text))
        hits: list[Hit] = []
        for at, spans, phrase in found:
            if any(taken[a:b].count(1) for a, b in spans):
                continue
            for a, b in spans:
                taken[a:b] = b"\1" * (b - a)
            hits += [Hit(at, spans[-1][1], spans, meaning) for meaning in phrase.meanings]
        return sorted(hits, key=lambda hit: (hit.start, hit.meaning.scheme, hit.meaning.notation))


def written(text: str) -> list[Hit]:
    """Directions, states and operators that a text names by their notation: ``EPISTEMIC.MORE_RIGOROUS``, ``CONJECTURE``."""
    shouted = text.upper() == text  # capitals alone say nothing then
    ontology = Ontology.load()
    found: list[Hit] = []
    for match in _NOTATION.finditer(text):
        joined = "." in match[0] or ":" in match[0]
        for scheme in ("direction", "operator") if joined else () if shouted else ("epistemic-state",):
            concept = ontology.concept(scheme, match[0])
            if concept is not None:
                meaning = Meaning(scheme, concept.notation, match[0], True, True)
                found.append(Hit(*match.span(), (match.span(),), meaning))
    return found


def _at(text: str, at: int, phrase: _Phrase) -> tuple[tuple[int, int], ...]:
    """What a phrase claims if it stands at a place, else nothing; Latin phrases only as whole words."""
    if phrase.pattern is None:
        if not text.startswith(phrase.key, at):
            return ()
        spans: tuple[tuple[int, int], ...] = ((at, at + len(phrase.key)),)
    else:
        match = phrase.pattern.match(text, at)
        if match is None:
            return ()
        spans = tuple(match.span(number) for number in range(1, match.re.groups + 1))
    return spans if all(_whole(text, a, b) for a, b in spans) else ()


def _whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (
        (text[start].isascii() and before.isascii() and before.isalnum())
        or (text[end - 1].isascii() and after.isascii() and after.isalnum())
    )


def _gapped(key: str) -> re.Pattern[str]:
    parts = [re.escape(part.strip()) for part in key.split(GAP)]
    return re.compile(_BETWEEN.join(f"({part})" for part in parts if part))


def _of_concepts(ontology: Ontology) -> Iterator[Meaning]:
    kinds = _kinds(ontology)
    for concept in ontology.concepts.values():
        scheme = concept.scheme
        if scheme not in _SCHEMES:
            continue
        names = set(concept.labels.values())
        for cue in concept.cues:
            name, word = cue.phrase in names, cue.phrase.isascii() and cue.phrase.isalpha()
            # Names of routes, query families and operator families say nothing about what is asked.
            if name and (scheme in ("route", "query-family") or (scheme == "operator" and "." not in concept.notation)):
                continue
            # A single English word such as "historical" is content in too many queries.
            if word and not cue.hidden and scheme in ("version-status", "operator", "role"):
                continue
            sure = not cue.hidden and not (scheme in ("role", "evidence-kind", "operator") and name)
            # A word that also names a kind of statement or a role says what a thing is, not how far it is established.
            if scheme == "epistemic-state" and index_key(cue.phrase) in kinds:
                sure = False
            yield Meaning(scheme, concept.notation, cue.phrase, sure)


def _kinds(ontology: Ontology) -> frozenset[str]:
    return frozenset(
        index_key(label)
        for concept in ontology.concepts.values()
        if concept.scheme in ("statement-kind", "role")
        for label in concept.labels.values()
    )


def _of_relations(ontology: Ontology) -> Iterator[Meaning]:
    """Labels of the relations. A one-word name ("uses") is a hint: texts use such words in other senses."""
    kinds = _kinds(ontology)
    for name, kind, label in ontology.relation_labels():
        if name not in _VAGUE and not (kind == "prefLabel" and index_key(label) in kinds):
            yield Meaning(RELATION, name, label, kind == "altLabel" or (kind == "prefLabel" and " " in label))


@lru_cache(maxsize=4)
def _load(ontology: Ontology) -> Cues:
    return Cues(ontology, _of_relations(ontology))
