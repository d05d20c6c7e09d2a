"""What the program speaks of, as frozen dataclasses: no I/O, no IRIs, no RDF terms.

Parsers produce a :class:`ParsedDocument`; :mod:`oam_rdf.store.codec` is the only place that turns it into quads
and the only minter of IRIs. All offsets are Unicode code points into the stored Original, ``0 <= start < end``.
Scheme values are notations (``"CONJECTURE"``, ``"REP.FORMALIZE"``), languages are BCP-47 (``"zh-Hant"``, ``"en"``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DOCUMENT, SECTION, ARGUMENT, STATEMENT = "DOCUMENT", "SECTION", "ARGUMENT", "STATEMENT"

# Visibility classes, widest audience first (architecture.md, "Access").
VISIBILITIES = ("PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start:end`` of the document's Original."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OperatorTag:
    """An operator with its uncertainty (paper §1.3): (operator, θ, confidence, annotator)."""

    notation: str  # FAMILY.MODE, or UNKNOWN_OPERATOR with source_label set
    confidence: float | None = None  # in [0, 1]; None = the source gave none
    annotator: str = ""
    model_version: str = ""
    review_status: str = ""
    source_label: str = ""  # the source's own word where it is not the notation
    order: int | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed edge as the source states it.

    ``source`` is a local object id of the document ("" = the document itself). ``type`` is the paper's snake_case name
    (``supersedes``, ``depends_on``, ``superseded_by`` = the inverse of supersedes). ``target`` is the reference as
    written (``PEP 241``, ``四色定理``, ``DOC-7#H1``); the pipeline resolves it against the whole knowledge base.
    """

    source: str
    type: str
    target: str
    line: int = 0  # 1-based line in the file, 0 = unknown
    confidence: float | None = None
    evidence: Span | None = None
    verdict: str = "ok"  # ok = accepted (an edge), anything else is a node only
    source_label: str = ""  # the source's own relation word where it is not ``type``


@dataclass(frozen=True, slots=True)
class KnowledgeObject:
    """One knowledge object of a document: the document itself, a section, an argument or a statement.

    ``id`` is local to the document ("" = the document itself) unless ``global_id`` is True, in which case it is a
    corpus-wide author's id such as KINV-00042.
    """

    id: str
    granularity: str  # DOCUMENT | SECTION | ARGUMENT | STATEMENT
    parent: str = ""  # local id of what it is part of ("" = the document)
    title: str = ""
    content: str = ""  # statements and arguments: raw text of the spans joined by "\n"; else "" (it is the Original's)
    language: str = ""
    spans: tuple[Span, ...] = ()
    line: int = 0
    global_id: bool = False
    author_id: str = ""  # the id the author wrote, if any ("Theorem 3", "H1")
    kind: str = ""  # statement-kind notation
    roles: tuple[str, ...] = ()
    state: str = ""  # epistemic-state notation; "" = default (SOURCE_CLAIM for statements, none for documents)
    state_label: str = ""  # the source's own wording
    verification: str = ""  # "" = NOT_TESTED
    version: str = ""
    version_status: str = ""  # ACTIVE | DEPRECATED | HISTORICAL | SUPERSEDED; "" = ACTIVE, not written
    status_label: str = ""  # the source's own status word, verbatim
    valid_from: str = ""  # zoned xsd:dateTime text, or ""
    deprecated_at: str = ""
    visibility: str = ""  # "" = PUBLIC
    no_source: str = ""  # why a statement has no span (decision D2), e.g. "span label without offsets"
    span_labels: tuple[str, ...] = ()  # kept labels without offsets
    operators: tuple[OperatorTag, ...] = ()
    aliases: tuple[str, ...] = ()  # further names that references may use
    created: str = ""  # dcterms:created, zoned xsd:dateTime text
    creators: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()  # keywords as written
    evidence: tuple[Evidence, ...] = ()
    conditions: tuple[str, ...] = ()  # local ids of the statements under which this one holds
    exceptions: tuple[str, ...] = ()  # local ids of the statements that name where it does not
    extra: Mapping[str, str] = field(default_factory=dict)  # header fields kept verbatim: name -> text


@dataclass(frozen=True, slots=True)
class Evidence:
    """An evidence artifact or external record about a statement (decision D7)."""

    kind: str  # evidence-kind notation, e.g. formal_proof
    outcome: str  # passed | failed | inconclusive | pending
    reference: str  # DOI, URL or citation text, as written
    artifact: bool = False  # True only if the bytes are stored here


@dataclass(frozen=True, slots=True)
class ExternalWork:
    """A work outside the corpus, as an item of a reference list cites it; no knowledge object.

    ``doi`` and ``arxiv`` are normalised ("10.1000/x" in lower case, "2405.16506" without its version), "" if not given.
    """

    id: str  # local: "work-" and 10 hex digits of DOI, arXiv id or citation
    citation: str  # the item's text, white space collapsed
    doi: str = ""
    arxiv: str = ""
    line: int = 0  # 1-based line in the file, 0 = unknown
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The unit both text channels rank: whole statements of one section, at most 200 tokens (segmentation.md).

    ``text`` is the Original's characters ``start:end``; objects that have no span (OAM JSON, RDF) give ``start = end = -1``
    and carry ``text`` themselves.
    """

    section: str  # local id of the section ("" = the document)
    start: int
    end: int
    heading: str  # heading path joined with " › ", without the document title
    text: str
    language: str
    lead: bool = False  # first passage of its document
    object: str = ""  # local id of the object it is, when it stands for exactly one


@dataclass(frozen=True, slots=True)
class Issue:
    """Something a person should hear of: printed as ``file:line: message (hint)``."""

    severity: str  # error (the document did not land) | warning | note
    code: str  # short stable slug: unknown-label, unresolved-target, broken-yaml, duplicate-key …
    message: str
    file: str = ""
    line: int = 0
    hint: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        return f"{where}{self.message}" + (f" ({self.hint})" if self.hint else "")


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """All that one source file says, ready for the codec. Picklable: it crosses the process pool."""

    id: str  # header id, else title, else path (segmentation.md, "Ids are stable")
    path: str  # POSIX path relative to the ingest root
    sha256: str  # of the Original's bytes
    length: int  # of the Original in code points
    media_type: str  # text/markdown, text/x-rst, text/plain, application/json, text/turtle, application/trig …
    profile: str
    language: str
    objects: tuple[KnowledgeObject, ...]  # the document first (id ""), then in order of appearance
    relations: tuple[Relation, ...] = ()
    passages: tuple[Passage, ...] = ()
    terms: tuple[str, ...] = ()  # mined for the dictionary: title, headings, link texts, defined terms
    issues: tuple[Issue, ...] = ()
    works: tuple[ExternalWork, ...] = ()  # of its reference lists: the document cites them
    rdf: str = ""  # N-Quads of an imported RDF document, already skolemised and with absolute IRIs

    @property
    def document(self) -> KnowledgeObject:
        return self.objects[0]
