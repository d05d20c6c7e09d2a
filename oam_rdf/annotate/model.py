"""A language model as a tagger, through any OpenAI-compatible chat endpoint (decision D28). Optional, and never believed:

an answer counts only where its label is in the schemes, its object is one that was sent, and its evidence stands verbatim
in that object's text. Only public text is sent. The key comes from the environment and is written nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from oam_rdf.annotate.chat import Chat
from oam_rdf.annotate.quads import Suggestion, Tagger
from oam_rdf.annotate.report import AnnotateReport
from oam_rdf.annotate.rules import RELIABLE, SCHEMES, Proposal
from oam_rdf.annotate.text import Subject, is_prose, settled
from oam_rdf.model import STATEMENT
from oam_rdf.ontology import Ontology
from oam_rdf.store.minter import Minter

_PROMPT_VERSION = "1"
_CHUNK = 6000  # characters of text a request
_MOST_RELATIONS = 10  # a document (decision D28)
_SYSTEM = """You tag knowledge objects. For each numbered line decide which labels fit what the line itself does or claims.
Use only labels from the lists below. Leave a line out when nothing fits; most lines carry no label.
Answer with one JSON object and nothing else:
{"tags": [{"line": 3, "scheme": "role", "label": "COUNTEREXAMPLE", "confidence": 0.8, "quote": "words of that line"}],
 "relations": [{"line": 3, "type": "supports", "target": 5, "confidence": 0.7, "quote": "words of that line"}]}
A quote is copied character by character from the line. A relation's target is a line number or a document id."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Which model to ask, and where. ``endpoint`` is the API's base URL or its ``/chat/completions``."""

    endpoint: str
    name: str
    key: str = field(default="", repr=False)
    timeout: float = 60.0
    attempts: int = 3

    def tagger(self) -> Tagger:
        return Tagger(f"model-{self.name}", _PROMPT_VERSION, self.name)

    def chat(self) -> Chat:
        return Chat(self.endpoint, self.name, self.key, self.timeout, self.attempts)


@dataclass(slots=True)
class Answers:
    """What is left of a model's answers for one document after checking."""

    proposals: list[Proposal] = field(default_factory=list)
    suggestions: list[Suggestion] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Line:
    """One object as the model sees it."""

    number: int
    id: str
    text: str


def ask(
    model: ModelOptions, subject: Subject, documents: Mapping[str, str], minter: Minter, report: AnnotateReport
) -> Answers:
    """Ask about one document. ``documents`` (id → IRI) may be targets of relations.

    :raises OamError: when no request of the document had a usable answer, or the endpoint refuses us.
    """
    chat, checked = model.chat(), _Checker(subject, documents, minter, report)
    for chunk in _chunks(subject, report):
        report.requests += 1
        answer = chat.complete(_system(), "\n".join(f"[{line.number}] {line.text}" for line in chunk))
        checked.read(answer, {line.number: line for line in chunk})
    return Answers(settled(subject, checked.proposals), checked.suggestions[:_MOST_RELATIONS])


def _system() -> str:
    ontology = Ontology.load()
    lines = [_SYSTEM]
    for scheme in SCHEMES:
        lines.append(f"{scheme}: " + " ".join(sorted(ontology.notations(scheme))))
    lines.append("relation types: " + " ".join(sorted(ontology.relations)))
    return "\n".join(lines)


def _chunks(subject: Subject, report: AnnotateReport) -> Iterator[list[Line]]:
    """Headings and sentences in order, in requests of at most :data:`_CHUNK` characters; nothing that is not public."""
    document = subject.document
    if (document.document.visibility or "PUBLIC") != "PUBLIC":
        report.withheld += len(document.objects)
        return
    chunk: list[Line] = []
    size = 0
    for number, item in enumerate(subject.objects(), 1):
        text = " ".join((item.content if item.granularity == STATEMENT else item.title).split())
        if item.visibility not in ("", "PUBLIC"):
            report.withheld += 1
            continue
        if not text or (item.granularity == STATEMENT and not is_prose(item.content)):
            continue
        if chunk and size + len(text) > _CHUNK:
            yield chunk
            chunk, size = [], 0
        chunk.append(Line(number, item.id, text))
        size += len(text)
    if chunk:
        yield chunk


class _Checker:
    """Takes an answer apart and keeps what can be verified; the report counts the rest by reason."""

    def __init__(self, subject: Subject, documents: Mapping[str, str], minter: Minter, report: AnnotateReport) -> None:
        self.documents = documents
        self.report = report
        self.iris = {item.id: minter.object(subject.document.id, item) for item in subject.document.objects}
        self.proposals: list[Proposal] = []
        self.suggestions: list[Suggestion] = []

    def read(self, answer: Mapping[str, Any], lines: Mapping[int, Line]) -> None:
        for kind, take in (("tags", self._tag), ("relations", self._relation)):
            rows = answer.get(kind, [])
            for row in rows if isinstance(rows, list) else [rows]:
                if not isinstance(row, dict):
                    self.report.dropped["malformed"] += 1
                    continue
                line = lines.get(row["line"]) if isinstance(row.get("line"), int) else None
                quote, confidence = row.get("quote"), row.get("confidence")
                if line is None:
                    self.report.dropped["unknown object"] += 1
                elif not isinstance(quote, str) or not quote.strip() or quote not in line.text:
                    self.report.dropped["quote not in the text"] += 1
                elif (
                    isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1
                ):
                    self.report.dropped["confidence not from 0 to 1"] += 1
                else:
                    take(row, line, quote, float(confidence), lines)

    def _tag(self, row: dict[str, Any], line: Line, quote: str, confidence: float, lines: Mapping[int, Line]) -> None:
        scheme, word = str(row.get("scheme", "")), str(row.get("label", "")).strip()
        if scheme not in SCHEMES:
            self._unknown(f"{scheme}: {word}")
            return
        ontology = Ontology.load()
        concept = ontology.concept(scheme, word)
        source_label = ""
        if concept is None and scheme == "operator":
            # A mode that several families have: which one is meant cannot be said (decision D3).
            modes = {n for n in ontology.notations("operator") if n.endswith(f".{word.upper()}")}
            only = "MULTIPLE_PLAUSIBLE" if len(modes) > 1 else next(iter(modes), "")
            concept, source_label = ontology.concept("operator", only), word if len(modes) > 1 else ""
        if concept is None:
            self._unknown(f"{scheme}: {word}")
            return
        self.proposals.append(
            Proposal(line.id, scheme, concept.notation, round(confidence, 2), "model", quote, source_label)
        )

    def _relation(
        self, row: dict[str, Any], line: Line, quote: str, confidence: float, lines: Mapping[int, Line]
    ) -> None:
        kind = Ontology.load().relations.get(str(row.get("type", "")))
        target = row.get("target")
        other = lines.get(target) if isinstance(target, int) else None
        iri = self.iris[other.id] if other else self.documents.get(str(target))
        if kind is None or kind.inverse:
            self._unknown(f"relation: {row.get('type', '')}")
        elif iri is None or iri == self.iris[line.id]:
            self.report.dropped["unknown object"] += 1
        elif confidence < RELIABLE:
            self.report.dropped["relation below 0.6"] += 1
        elif len(self.suggestions) == _MOST_RELATIONS:
            self.report.dropped["more than ten relations"] += 1
        else:
            self.suggestions.append(Suggestion(line.id, kind.iri, iri, round(confidence, 2), quote))

    def _unknown(self, label: str) -> None:
        self.report.dropped["unknown label"] += 1
        self.report.hallucinated[label] += 1
