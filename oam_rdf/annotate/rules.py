"""Cue rules as data: read from ``ontology/cues/*.ttl``, matched against sentences, headings, kinds and relations.

A rule is a row there: what it proposes, the phrases in three languages that fire it, where they must stand, what keeps it
from firing, and the confidence that judged samples of it deserve. Nothing here knows a single phrase.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from oam_rdf.errors import ConfigError
from oam_rdf.namespaces import OAM, RDF
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir
from oam_rdf.text.normalise import Folded, fold, index_key

#: Schemes whose concepts may be proposed.
SCHEMES = ("operator", "role", "statement-kind", "epistemic-state")
PLACES = ("text", "opening", "ending", "heading")
#: A tag below this is a suggestion and does not count as coverage (decision D11).
RELIABLE = 0.6
# Part of the version of a rule set: raise it when the matching below changes.
_ENGINE = "1"
_OPENING = 14  # characters within which an opening cue must begin, after list marks and an author's label
_COMPOUND = 0.15  # how much less sure a heading is that only ends with the phrase
_MARKS = re.compile(r"^(?:[\s>*_#|+~-]|\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]{1,3}[)）、])*")
_LABEL = re.compile(r"^(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__)[\s:：.。]*")
_NUMBERING = re.compile(
    r"^(?:第?[\d一二三四五六七八九十]+[章节節部.．、：:]?|[A-Z][.、]|附录|附錄|[\d.]+)+[\s.．、：:]*"
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|no|without|cannot|nor|neither|hardly)\b|n't|[不没未非无勿])[^,;:.，；：。]{0,4}$"
)
_PAIRS = {"「": "」", "『": "』", "“": "”", "《": "》", "〈": "〉"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """One concept for one object. ``cue`` is verbatim text of the object, or "" where the rule needs no words."""

    target: str  # local id of the object ("" = the document), or the IRI of a relation node
    scheme: str
    notation: str
    confidence: float
    rule: str
    cue: str = ""
    source_label: str = ""  # the word as written where the concept only says that it is not known (decision D3)

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.target, self.scheme, self.notation, self.source_label


@dataclass(frozen=True, slots=True)
class CueRule:
    """A row of ``ontology/cues``. ``phrases`` are the folded phrases of all languages as one pattern."""

    id: str
    proposes: tuple[tuple[str, str], ...]  # (scheme, notation)
    place: str
    confidence: float
    phrases: re.Pattern[str] | None = None
    guard: re.Pattern[str] | None = None
    relation: str = ""  # IRI of a relation property
    kind: str = ""  # notation of a statement kind


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All rules, and ``version``: a hash that changes with any rule or with the matching."""

    rules: tuple[CueRule, ...]
    version: str
    families: re.Pattern[str] = field(repr=False)

    @classmethod
    def load(cls, folder: Path | None = None) -> RuleSet:
        """The rules in ``folder`` (default: those that ship). :raises ConfigError: naming file and rule."""
        return _load(folder or ontology_dir() / "cues", Ontology.load())

    def named(self, rule: str) -> CueRule:
        return next(known for known in self.rules if known.id == rule)

    def at(self, place: str) -> Iterator[CueRule]:
        return (rule for rule in self.rules if rule.place == place and rule.phrases is not None)

    def sentence(self, target: str, text: str, own: int = 0) -> Iterator[Proposal]:
        """What the words of a sentence propose for it. Before ``own`` stands what introduces it (a list's lead-in):
        how that opens says what its items are, its other words speak for itself alone.
        """
        folded = fold(text)
        question = folded.text.rstrip(" \"'”」』)）*_").endswith("?")
        for place in ("text", "opening", "ending"):
            for rule in self.at(place):
                found = _find(rule, folded, text, own)
                if found is None:
                    continue
                for scheme, notation in rule.proposes:
                    # A question asks whether; it neither defines, observes nor claims.
                    if question and place != "ending" and scheme in ("statement-kind", "epistemic-state"):
                        continue
                    yield Proposal(target, scheme, notation, rule.confidence, rule.id, found)
        yield from self._notations(target, text)

    def heading(self, target: str, title: str) -> Iterator[Proposal]:
        """What a heading (or a document's title) proposes for what stands below it."""
        core = _NUMBERING.sub("", index_key(title)).strip(" *_:：.。")
        for rule in self.at("heading"):
            found = rule.phrases.search(core) if rule.phrases is not None else None
            # The heading is the phrase, or ends with it as Chinese compounds do; a mere mention says nothing.
            whole = found is not None and found.end() == len(core) and (found.start() == 0 or not found[0].isascii())
            if found is not None and whole and not _NEGATED.search(core[: found.start()]):
                lowered = 0.0 if found.start() == 0 else _COMPOUND
                for scheme, notation in rule.proposes:
                    confidence = max(round(rule.confidence - lowered, 2), 0.0)
                    yield Proposal(target, scheme, notation, confidence, rule.id, title)

    def of_kind(self, target: str, kind: str) -> Iterator[Proposal]:
        """What an author's own label of a statement (its kind) proposes."""
        for rule in self.rules:
            if rule.kind and rule.kind == kind:
                for scheme, notation in rule.proposes:
                    yield Proposal(target, scheme, notation, rule.confidence, rule.id)

    def of_relation(self, target: str, relation: str) -> Iterator[Proposal]:
        """What a stated relation (IRI of its property) proposes for its start or for its node."""
        for rule in self.rules:
            if rule.relation and rule.relation == relation:
                for scheme, notation in rule.proposes:
                    yield Proposal(target, scheme, notation, rule.confidence, rule.id)

    def _notations(self, target: str, text: str) -> Iterator[Proposal]:
        """Operators that the text names outright; an unknown mode of a known family is kept as written (decision D3)."""
        for match in self.families.finditer(text):
            concept = Ontology.load().concept("operator", match[0])
            if concept is not None:
                yield Proposal(target, "operator", concept.notation, 0.8, "notation", match[0])
            elif match["mode"].isupper():
                unknown = "NEW_OPERATOR_CANDIDATE"
                yield Proposal(target, "operator", unknown, 0.5, "notation", match[0], match[0])


def best(proposals: Iterable[Proposal]) -> list[Proposal]:
    """One proposal for each target and concept: the surest; ties by the rule's name. Sorted."""
    chosen: dict[tuple[str, str, str, str], Proposal] = {}
    for proposal in proposals:
        known = chosen.get(proposal.key)
        if known is None or (-proposal.confidence, proposal.rule, proposal.cue) < (
            -known.confidence,
            known.rule,
            known.cue,
        ):
            chosen[proposal.key] = proposal
    return [chosen[key] for key in sorted(chosen)]


def _find(rule: CueRule, folded: Folded, text: str, own: int) -> str | None:
    """The verbatim words by which the rule fires on a sentence, or None."""
    assert rule.phrases is not None
    if rule.guard is not None and rule.guard.search(folded.text):
        return None
    body = _body(folded.text)
    for match in rule.phrases.finditer(folded.text):
        if rule.place == "opening" and match.start() > body + (0 if match[0][0].isascii() else _OPENING):
            return None
        if rule.place == "ending":
            if folded.text[match.end() :].strip(" \"'”」』)）*_"):
                continue
        elif _NEGATED.search(folded.text, max(0, match.start() - 12), match.start()):
            continue
        start, end = folded.span(match.start(), match.end())
        if start < own and rule.place == "text":
            continue
        if not _quoted(text[:start]):
            return text[start:end]
    return None


def _body(text: str) -> int:
    """Where a sentence begins after list marks and an author's label."""
    label = _LABEL.match(text, 0)
    start = label.end() if label else 0
    marks = _MARKS.match(text[start:])
    return start + (marks.end() if marks else 0)


def _quoted(before: str) -> bool:
    """Whether a text position lies inside quotation marks or code: there, words are mentioned rather than used."""
    return any(before.count(opening) > before.count(closing) for opening, closing in _PAIRS.items()) or any(
        before.count(mark) % 2 for mark in ('"', "`")
    )


def _pattern(phrases: Iterable[str]) -> re.Pattern[str] | None:
    """Folded phrases as one pattern, longest first; Latin words match whole words only."""
    pieces = []
    for phrase in sorted({index_key(phrase) for phrase in phrases}, key=lambda p: (-len(p), p)):
        escaped = re.escape(phrase).replace(r"\.\.\.", ".{1,30}?").replace(r"\#", r"\d")  # … is three dots when folded
        escaped = escaped.replace(r"\ ", r"\s+" if phrase.isascii() else r"\s*")
        head = r"(?<![a-z0-9_])" if phrase[:1].isascii() and phrase[:1].isalnum() else ""
        tail = r"(?![a-z0-9_])" if phrase[-1:].isascii() and (phrase[-1:].isalnum() or phrase[-1:] == "#") else ""
        pieces.append(head + escaped + tail)
    return re.compile("|".join(pieces)) if pieces else None


@lru_cache(maxsize=4)
def _load(folder: Path, ontology: Ontology) -> RuleSet:
    files = sorted(folder.glob("*.ttl"))
    if not files:
        raise ConfigError("the cue rules are not there", place=str(folder), hint="reinstall the package")
    digest = hashlib.sha256(_ENGINE.encode())
    rules: dict[str, CueRule] = {}
    for file in files:
        digest.update(file.read_bytes())
        facts: dict[str, dict[str, list[Literal | NamedNode]]] = defaultdict(lambda: defaultdict(list))
        try:
            for quad in parse(path=str(file), format=RdfFormat.TURTLE):
                if isinstance(quad.subject, NamedNode) and isinstance(quad.object, Literal | NamedNode):
                    facts[quad.subject.value][quad.predicate.value].append(quad.object)
        except SyntaxError as error:
            raise ConfigError(str(error), place=f"{file.name}:{error.lineno}") from error
        for iri, row in facts.items():
            if NamedNode(OAM + "CueRule") in row[RDF + "type"]:
                rule = _rule(iri.rpartition("/")[2], row, file.name, ontology)
                if rule.id in rules:
                    raise ConfigError(f"the rule {rule.id} is given twice", place=file.name)
                rules[rule.id] = rule
    families = {c.notation for c in ontology.concepts.values() if c.scheme == "operator" and "." not in c.notation}
    names = "|".join(sorted(families))
    pattern = re.compile(rf"(?<![\w.:])(?:IOP:)?(?P<family>{names})[.:](?P<mode>[A-Z][A-Z_0-9]{{2,}})(?!\w|\.\w)")
    return RuleSet(tuple(rules[name] for name in sorted(rules)), digest.hexdigest()[:16], pattern)


def _rule(name: str, row: dict[str, list[Literal | NamedNode]], file: str, ontology: Ontology) -> CueRule:
    def texts(predicate: str) -> list[str]:
        return [value.value for value in row[OAM + predicate]]

    proposes = []
    for iri in texts("proposes"):
        concept = ontology.concepts.get(iri)
        if concept is None or concept.scheme not in SCHEMES:
            raise ConfigError(
                f"the rule {name} proposes <{iri}>", place=file, hint="a concept of " + ", ".join(SCHEMES)
            )
        proposes.append((concept.scheme, concept.notation))
    place = next(iter(texts("place")), "")
    kind = next((ontology.concepts[iri].notation for iri in texts("onKind") if iri in ontology.concepts), "")
    relation = next(iter(texts("onRelation")), "")
    phrases = _pattern(texts("phrase"))
    if not proposes or (place in PLACES) != (phrases is not None) or not (phrases or kind or relation):
        raise ConfigError(
            f"the rule {name} is incomplete",
            place=file,
            hint="oam:proposes, and phrases with a place, a kind or a relation",
        )
    if relation and relation not in {known.iri for known in ontology.relations.values()}:
        raise ConfigError(f"the rule {name} names no relation: <{relation}>", place=file)
    try:
        confidence = float(next(iter(texts("confidence")), ""))
    except ValueError:
        confidence = -1.0
    if not 0 <= confidence <= 1:
        raise ConfigError(f"the rule {name} needs an oam:confidence from 0 to 1", place=file)
    return CueRule(name, tuple(sorted(proposes)), place, confidence, phrases, _pattern(texts("guard")), relation, kind)
