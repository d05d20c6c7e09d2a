"""What the program speaks of, as frozen dataclasses: no I/O, no IRIs, no RDF terms.

Parsers produce a :class:`ParsedDocument`; :mod:`oam_rdf.store.codec` is the only place that turns it into quads
and the only minter of IRIs. All offsets are Unicode code points into the stored Original, ``0 <= start < end``.
Scheme values are notations (``"CONJECTURE"``, ``"REP.FORMALIZE"``), languages are BCP-47 (``"zh-Hant"``, ``"en"``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DOCUMENT, SECTION, ARGUMENT, STATEMENT = "DOCUMENT", "SECTION", "ARGUMENT", "STATEMENT"
# A knowledge object of no granularity: a concept, a primitive, a term (ontology.md, "Modules").
OTHER = "OTHER"

# Visibility classes, widest audience first (architecture.md, "Access").
VISIBILITIES = ("PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start:end`` of the document's Original."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that a source quotes from another work, to be looked for in that work's Original.

    ``work`` is the reference to it as written; "" = the work that the quoting document is about.
    """

    text: str
    work: str = ""


@dataclass(frozen=True, slots=True)
class Anchoring:
    """Where a quote stands in the Original of its work.

    ``how`` is exact (letter for letter), normalised (but for white space and Markdown marks) or unanchored, then
    ``reason`` says why and there are no ``spans``. An elided quote has several; ``exact`` is the Original's text of each.
    ``visibility`` is the narrowest of the quoted work and its parts.
    """

    how: str
    sha256: str = ""
    spans: tuple[Span, ...] = ()
    exact: tuple[str, ...] = ()
    reason: str = ""
    visibility: str = ""


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit says of the proposed relations from one thing to another (formats.md, 4).

    ``source`` and ``target`` are references as written. Of several audits of one pair the highest ``round`` holds.
    """

    id: str  # local to the document that records it
    source: str
    target: str
    verdict: str  # a notation of the verdict scheme
    reason: str = ""
    round: int | None = None
    line: int = 0
    remainder: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """Who turned a text into entries, and when (zoned xsd:dateTime text); "" where the source does not say."""

    agent: str = ""
    when: str = ""


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
    quote: Quote | None = None  # words of the work that are said to bear the relation out
    order: int | None = None  # place among the relations that the source lists; such a relation always has a node
    remainder: str = ""  # see KnowledgeObject
    of_work: bool = False  # said of the work that the document is about, where that is known, not of the document
    concept: bool = False  # the target may be the name of a concept, which stands for whoever defines it
    local: bool = False  # the target is a local id of the same document, or "#" and an id that it lacks
    subject: str = ""  # reference to what the relation starts from, where that is no object of this document
    also: tuple[str, ...] = ()  # further names of the target, tried in order
    event: str = ""  # id of the ProvNode that used the target, or stands for it
    coupling: tuple[
        tuple[str, float], ...
    ] = ()  # SGCD: components of the edge's coupling vector, as the source orders them


@dataclass(frozen=True, slots=True)
class KnowledgeObject:
    """One knowledge object of a document: the document itself, a section, an argument, a statement, a concept ….

    ``id`` is local to the document ("" = the document itself) unless ``global_id`` is True, in which case it is a
    corpus-wide author's id such as KINV-00042.
    """

    id: str
    granularity: str  # DOCUMENT | SECTION | ARGUMENT | STATEMENT | OTHER (then ``type`` says what it is)
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
    type: str = ""  # local name of a class of the ontology that it is besides its granularity: Axiom, Concept
    formula: str = ""
    description: str = ""
    quotes: tuple[Quote, ...] = ()
    axes: Mapping[str, str] = field(default_factory=dict)  # further axes: property -> notation of its scheme
    order: int | None = None  # place among its like in the source
    dag_order: int | None = None  # place in the source's list of what depends on what
    remainder: str = ""  # JSON of what the source says of it and nothing else here carries


@dataclass(frozen=True, slots=True)
class Evidence:
    """An evidence artifact or external record about a statement (decision D7)."""

    kind: str  # evidence-kind notation, e.g. formal_proof
    outcome: str  # passed | failed | inconclusive | pending
    reference: str  # DOI, URL or citation text, as written
    artifact: bool = False  # True only if the bytes are stored here
    quantification: str = ""  # over which cases, in the source's words
    universal: bool | None = None  # whether it proves the claim for all cases; None = the source does not say


@dataclass(frozen=True, slots=True)
class ProvNode:
    """Something that a source records as having happened, or as having taken part in it: a node on PROV-O.

    ``used`` and ``made`` are local ids of objects ("" = the document); ``links`` are (IRI of a PROV property, id of
    another node of the document). ``sha256`` is the hash of what the node stands for, as the source states it.
    """

    id: str  # local to the document
    type: str = "Activity"  # Activity | Entity | Agent
    kind: str = ""  # activity-kind notation, "" = none that is known
    label: str = ""  # the source's own word for what it is
    author_id: str = ""
    at: str = ""  # zoned xsd:dateTime text
    agents: tuple[tuple[str, str], ...] = ()  # (name, agent-role notation or "")
    outcome: str = ""  # outcome notation
    used: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    sha256: str = ""
    links: tuple[tuple[str, str], ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class HashClaim:
    """A SHA-256 that a source states, and of what; ``found`` is the one that was computed here ("" = nothing was there).

    ``kind`` is own (of the stating object itself), file (of the file at the path ``target``), original (of the Original of
    the document that ``target`` names), named (the document that ``target`` names goes by this hash) or events (``target``
    is a chain that ends with the event of this number). ``strict``: a difference keeps the stating document out.
    """

    kind: str
    name: str  # the key as the source writes it
    sha256: str
    target: str = ""
    found: str = ""
    strict: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True)
class Procedure:
    """How a check is run again: ``command`` is ``python``, one of the input files and its arguments.

    ``inputs`` are (path seen from the declaring document's folder, SHA-256), ``output`` the SHA-256 of what has to be
    printed. ``seconds`` is processor time, ``memory`` in MiB.
    """

    kind: str  # evidence-kind notation of what a run gives
    command: tuple[str, ...]
    inputs: tuple[tuple[str, str], ...]
    output: str
    seconds: int = 10
    memory: int = 256
    quantification: str = ""  # over which cases, in the source's words
    universal: bool | None = None  # whether it checks the claim for all cases; None = the source does not say


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
class StatusEvent:
    """An entry of a status history: from ``time`` on, the document called ``of`` had the status ``word``.

    Events stand in the order of the source, which decides between equal times.
    """

    of: str  # the id as the history writes it; resolved like any other reference
    word: str  # the source's own, "" = from then on it states none
    time: str  # zoned xsd:dateTime text
    status: str = ""  # version-status notation, "" = the word stands for none
    commit: str = ""
    line: int = 0  # 1-based line in the file, 0 = unknown


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
    events: tuple[StatusEvent, ...] = ()  # of a status history
    rdf: str = ""  # N-Quads of an imported RDF document, already skolemised and with absolute IRIs
    about: tuple[str, ...] = ()  # names of the work that it describes (id, path), the surest first
    extraction: Extraction | None = None
    audits: tuple[Audit, ...] = ()
    nodes: tuple[ProvNode, ...] = ()
    hashes: tuple[HashClaim, ...] = ()
    procedure: Procedure | None = None
    own_id: bool = True  # False: its author gave none, the id is its title or the name of its file

    @property
    def document(self) -> KnowledgeObject:
        return self.objects[0]
