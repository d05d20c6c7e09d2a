"""From blocks, header fields and links to a :class:`ParsedDocument`: the part that all text formats share."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from oam_rdf.ingest import (
    arguments,
    attributes,
    audience,
    citing,
    conditions,
    labelled,
    labels,
    links,
    passages_cut,
    terms,
    works,
)
from oam_rdf.ingest.blocks import HEADING, ITEM, MATH, PROSE, ROW, RULE, TEXT, Block
from oam_rdf.ingest.draft import Draft
from oam_rdf.ingest.language import detect
from oam_rdf.ingest.naming import Names, collapsed, heading_text, reference_name, section_id, statement_id
from oam_rdf.ingest.outline import Section, Statement
from oam_rdf.ingest.passages_cut import Unit, without
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.yaml_front import Field
from oam_rdf.model import ARGUMENT, DOCUMENT, SECTION, STATEMENT, KnowledgeObject, ParsedDocument, Passage
from oam_rdf.text.normalise import id_key
from oam_rdf.text.statements import is_open, sentences

_PATH = " › "


@dataclass(slots=True)
class Assembly:
    """Everything that a format's parser has found, on its way to a document."""

    source: Source
    profile: Profile
    media_type: str
    structure: str  # the shadow text: lines that the Original has lost are lines there
    blocks: list[Block]
    fields: list[Field]
    body: int = 0  # offset where the text begins, after a header that is no block
    rst: bool = False
    mint_all: bool = False
    id: str = ""
    document: Draft = field(default_factory=lambda: Draft(DOCUMENT, line=1))
    sections: list[Section] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    holes: list[tuple[int, int]] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    described: dict[int, int] = field(default_factory=dict)  # start of a labelled statement -> end of what describes it

    def result(self) -> ParsedDocument:
        """The document. Never raises for content: what is odd becomes an issue."""
        source, text = self.source, self.source.text
        for one in self.fields:
            self.document.apply(one.name, one.values, one.line, self.profile, source)
        title_block = self._title()
        self._identify()
        language = self.document.language or detect(text[self.body :], self.profile.language or "en")
        self.document.language = language
        self.holes = passages_cut.blobs(text)
        for start, end in self.holes:
            source.issue("blob", f"{end - start:,} characters without words are not indexed", line=source.line(start),
                         severity="note", hint="they stay in the Original")  # fmt: skip
        self._walk(title_block)
        self._name_statements()
        audience.settle(source, self.structure, self.blocks, self.body, self.document, self.statements, self.described)
        clean = links.masked(text, self.blocks, self.body, rst=self.rst)
        found = links.in_text(source, clean, self.profile, markdown=not self.rst)
        own = {id_key(name) for name in (self.id, *self.document.aliases, self.document.title, source.stem)}
        foreign = [link for link in found if id_key(reference_name(link.target)) not in own]
        citing.attribute(source, foreign, self.blocks, self.statements, self.sections, self.document)
        objects = self._objects(language)
        said = (s.draft for s in self.statements if s.draft is not None)
        stating = (self.document, *(section.draft for section in self.sections), *said)
        relations = [relation for draft in stating for relation in draft.stated_relations()]
        return ParsedDocument(
            id=self.id,
            path=source.path,
            sha256=source.sha256,
            length=len(text),
            media_type=self.media_type,
            profile=self.profile.name,
            language=language,
            objects=objects,
            relations=tuple(relations),
            passages=self._passages(language),
            terms=terms.mined(
                (self.document.title, *self.document.aliases, *self.document.subjects),
                (section.draft.title for section in self.sections),
                found,
                clean,
            ),
            issues=tuple(source.issues),
            works=works.works(source, self.blocks, found),
            own_id=bool(self.document.author_id),
        )

    # -- the document itself -------------------------------------------------------------------------------------

    def _title(self) -> int:
        """Settles the title; returns the index of the heading that is the title rather than a section, or -1."""
        headings = [i for i, b in enumerate(self.blocks) if b.kind == HEADING]
        top = [i for i in headings if self.blocks[i].level == 1]
        first = headings[0] if headings else -1
        is_title = bool(top) and first == top[0] and all(b.kind not in (TEXT, ITEM) for b in self.blocks[:first])
        if self.document.title:
            alone = is_title and len(top) == 1 and not self.rst
            if alone:
                self.document.aliases.append(collapsed(self.blocks[first].title))
            return first if alone else -1
        if is_title and (not self.rst or len(top) == 1):
            written = heading_text(self.blocks[first].title)
            if self.document.author_id:
                self.document.title = written
            else:
                self.document.apply(
                    "title", (written,), self.source.line(self.blocks[first].start), self.profile, self.source
                )
            return first
        self.document.title = self.source.stem
        return -1

    def _identify(self) -> None:
        """Header id, else title, else path (segmentation.md, "Ids are stable")."""
        self.id = collapsed(self.document.author_id or self.document.title or self.source.path)

    # -- blocks --------------------------------------------------------------------------------------------------

    def _walk(self, title_block: int) -> None:
        source, text = self.source, self.source.text
        for one in self.fields:
            if self.profile.field(one.name) == "summary" and one.start >= 0:
                self.units.append(Unit(one.start, one.end, ""))
        stack: list[Section] = []
        index = 0
        while index < len(self.blocks):
            block = self.blocks[index]
            if block.kind == HEADING and index != title_block:
                self._open_section(stack, block)
                label = labels.read(block.title, self.profile, heading=True, above=self._above(stack))
                if label:
                    index = self._labelled(index, label, self._current(stack))
                    continue
            elif block.kind in (HEADING, RULE):
                pass
            elif block.kind in PROSE:
                index = self._prose(index, self._current(stack))
                continue
            else:
                index = self._whole(index, self._current(stack))
                continue
            index += 1
        for section in stack:
            self._close(section, len(text))
        for section in self.sections:
            section.draft.line = source.line(section.draft.spans[0][0])

    def _current(self, stack: Sequence[Section]) -> str:
        return stack[-1].draft.id if stack else ""

    def _above(self, stack: Sequence[Section]) -> str:
        return stack[-2].draft.title if len(stack) > 1 else ""

    def _open_section(self, stack: list[Section], block: Block) -> None:
        while stack and stack[-1].level >= block.level:
            self._close(stack.pop(), block.start)
        title = heading_text(block.title)
        path = stack[-1].path + _PATH + title if stack else title
        draft = Draft(SECTION, parent=self._current(stack), title=title, spans=((block.start, block.end),))
        draft.id = self.names.take(section_id(path))
        section = Section(draft, block.level, path)
        stack.append(section)
        self.sections.append(section)

    def _close(self, section: Section, end: int) -> None:
        start = section.draft.spans[0][0]
        piece = self.source.text[start:end]
        section.draft.spans = ((start, start + len(piece.rstrip())),)

    def _prose(self, index: int, section: str) -> int:
        """A paragraph, item or HTML block: header line, attribute line, labelled or plain statements."""
        block, text = self.blocks[index], self.source.text
        piece = text[block.start : block.end]
        if block.header:
            self._unit(block.start, block.end, section)
            return index + 1
        if self._attribute_lines(block, self.document):
            self._unit(block.start, block.end, section)
            return index + 1
        label = None
        if piece[:1] in _LABEL_STARTS or piece[:1].isalnum():
            label = labels.read(piece, self.profile, above=self._title_of(section))
        if label is not None and len(piece) > label.length:
            return self._labelled(index, label, section)
        lead = self._lead(block)
        led = lead[0] if lead else -1
        for start, end in without(block.start, block.end, self.holes):
            for one in sentences(text, start, end):
                spans = (lead, (one.start, one.end)) if lead else ((one.start, one.end),)
                self._state(Statement(one.start, one.end, spans, section, group=block.group, introduced=led))
        return index + 1

    def _attribute_lines(self, block: Block, draft: Draft) -> bool:
        """Reads a block whose every line is an attribute line; False (and nothing read) otherwise."""
        piece = self.structure[block.start : block.end]
        if "::" not in piece and "[[" not in piece:
            return False
        lines = piece.split("\n")
        if not all(attributes.is_attribute(line) or not line.strip() for line in lines):
            return False
        at = block.start
        for line in lines:
            attributes.apply(line, draft, self.source.line(at), self.profile, self.source)
            at += len(line) + 1
        block.header = True
        return True

    def _lead(self, block: Block) -> tuple[int, int] | None:
        """The sentence that introduces a list, if it ends with a colon."""
        if block.kind != ITEM or block.lead < 0:
            return None
        above = self.blocks[block.lead]
        announces = labelled.COLON.search(self.structure[above.start : above.end])
        if above.header or above.kind not in PROSE or not announces:
            return None
        at = bisect_right(self.statements, above.end, key=lambda s: s.start) - 1
        last = self.statements[at] if at >= 0 else None
        if last is None or not above.start <= last.start < above.end or last.end - last.start > 400:
            return None
        return last.start, last.end

    def _labelled(self, index: int, label: labels.Label, section: str) -> int:
        """A statement with an author's label: its block, what continues it, and the list that describes it."""
        text, blocks = self.source.text, self.blocks
        heading = blocks[index].kind == HEADING
        start = blocks[index].start
        if heading:  # without its marks; a heading over several lines keeps them
            start = max(start, text.find(blocks[index].title, start, blocks[index].end))
        last = index
        after = index + 1
        own = Draft(STATEMENT, parent=section, author_id=label.author_id, kind=label.kind, state=label.state)
        own.line = self.source.line(start)
        own.global_id = label.corpus_wide
        if label.name:
            own.title = label.name
        if label.role:
            own.roles.append(label.role)
        after = self._described(after, own)
        if heading and after < len(blocks) and blocks[after].kind == TEXT and not blocks[after].header:
            last, after = after, after + 1
        last = labelled.last_block(self.structure, blocks, last)
        after = self._described(max(after, last + 1), own)
        end = blocks[last].end
        for match in attributes.INLINE.finditer(text, start, end):
            own.apply(match["key"], (match["value"],), self.source.line(match.start()), self.profile, self.source)
        own.spans = ((start, end),)
        own.id = self._author_id(label, own)
        lead = self._lead(blocks[index])
        self._state(
            Statement(
                start, end, own.spans, section, own.id, own, group=blocks[index].group,
                introduced=lead[0] if lead else -1,
                label=0 if heading else blocks[index].start - start + label.length,
            )
        )  # fmt: skip
        for passed in range(last + 1, after):
            self._unit(blocks[passed].start, blocks[passed].end, section)
        self.described[start] = max(end, blocks[after - 1].end)
        return max(after, last + 1)

    def _author_id(self, label: labels.Label, own: Draft) -> str:
        if not label.author_id:
            return ""
        again = label.author_id in self.names
        name = self.names.take(label.author_id)
        if again:
            self.source.issue(
                "duplicate-id", f"the label {label.author_id!r} is used twice in this document", line=own.line,
                hint=f"give one of them another number; this one is {name}",
            )  # fmt: skip
            own.global_id = False
        return name

    def _described(self, index: int, own: Draft) -> int:
        """Reads the list of attribute lines that begins at ``index`` into ``own``; returns the index after them."""
        blocks = self.blocks
        if index >= len(blocks) or not labelled.describes(self.structure, blocks[index]):
            return index
        group = blocks[index].group
        while index < len(blocks) and blocks[index].group == group and self._attribute_lines(blocks[index], own):
            index += 1
        return index

    def _whole(self, index: int, section: str) -> int:
        """Code, math and tables stay whole; each row of a table is a statement with its header cells."""
        block = self.blocks[index]
        if block.kind == MATH:
            above = self.blocks[index - 1] if index else None
            lead = None
            if above is not None and above.kind in PROSE and not above.header and self.statements:
                last = self.statements[-1]
                if (
                    above.start <= last.start
                    and last.draft is None
                    and is_open(self.source.text[last.start : last.end])
                ):
                    lead = (last.start, last.end)
                    last.prose = False  # not a statement of its own
            spans = (lead, (block.start, block.end)) if lead else ((block.start, block.end),)
            self._state(Statement(block.start, block.end, spans, section, prose=lead is not None))
            return index + 1
        if block.kind != ROW:
            self._unit(block.start, block.end, section)
            return index + 1
        end = index
        head = block if block.level else None
        while end < len(self.blocks) and self.blocks[end].kind == ROW and self.blocks[end].group == block.group:
            row = self.blocks[end]
            if row is not head:
                own = (row.start, row.end)
                spans = ((head.start, head.end), own) if head else (own,)
                self.statements.append(Statement(row.start, row.end, spans, section, joins=False))
            end += 1
        bottom = self.blocks[end - 1].end
        if passages_cut.tokens(self.source.text[block.start : bottom]) <= passages_cut.CAP:
            self._unit(block.start, bottom, section)
        else:
            for row in self.blocks[index:end]:
                self._unit(row.start, row.end, section)
        return end

    def _state(self, statement: Statement) -> None:
        self.statements.append(statement)
        self._unit(statement.start, statement.end, statement.section)

    def _unit(self, start: int, end: int, section: str) -> None:
        if end > start:
            self.units.append(Unit(start, end, section))

    def _title_of(self, section: str) -> str:
        return next((s.draft.title for s in reversed(self.sections) if s.draft.id == section), "")

    # -- statements and what is said of them ---------------------------------------------------------------------

    def _name_statements(self) -> None:
        """Every statement gets the id it has or would have: the author's, else the hash of its text."""
        text = self.source.text
        for statement in self.statements:
            if statement.id:
                continue
            content = "\n".join(text[a:b] for a, b in statement.spans)
            statement.id = self.names.take(statement_id(content))
            if statement.draft is not None:
                statement.draft.id = statement.id
            elif self.mint_all and statement.prose:
                statement.mint(self.source.line(statement.start))

    def _objects(self, language: str) -> tuple[KnowledgeObject, ...]:
        text, line = self.source.text, self.source.line
        audience.inherit(self.sections, self.statements)
        added = conditions.drafts(text, self.statements, self.blocks, self.names, line)
        drafts = arguments.drafts(text, self.statements, self.names, line, mint_all=self.mint_all)
        for draft, claim in added:
            draft.parent = claim.parent  # the same argument
            drafts.append(draft)
        drafts += [statement.draft for statement in self.statements if statement.draft is not None]
        for draft in drafts:
            draft.language = detect("\n".join(text[a:b] for a, b in draft.spans), language)
        for section in self.sections:
            section.draft.language = detect(section.draft.title, language)
        drafts += [section.draft for section in self.sections]
        drafts.sort(key=lambda d: (d.spans[-1][0], _ORDER.index(d.granularity)))
        return tuple(draft.freeze(self.source, self.profile) for draft in (self.document, *drafts))

    # -- what is indexed -----------------------------------------------------------------------------------------

    def _passages(self, language: str) -> tuple[Passage, ...]:
        minted = {(s.start, s.end): s.id for s in self.statements if s.draft is not None}
        units = [Unit(u.start, u.end, u.section, minted.get((u.start, u.end), "")) for u in self.units]
        units = audience.apart(self.source, units, self.holes, self.document, self.statements, self.described)
        if not units:  # nothing but a header: the document must still be found
            units = [Unit(0, len(self.source.text), "")]
        headings = {s.draft.id: s.path for s in self.sections}
        return passages_cut.cut(self.source, units, headings, language, self.holes)


_LABEL_STARTS = frozenset("*_>")
_ORDER = (SECTION, ARGUMENT, STATEMENT)
