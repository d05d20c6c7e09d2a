"""TCF-lite 0.1 (formats.md, "In" 3): one JSON object a paper, a document of its own beside the paper's.

Its entries have ids local to it (``P-01.tcf#ax-1``), so what two papers call by one id never meets. The paper's id is an
alias of it, which stands for the paper where that is stored (:mod:`oam_rdf.ingest.references`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from oam_rdf.errors import ParseError
from oam_rdf.ingest import dates, visibility
from oam_rdf.ingest.json_places import Places
from oam_rdf.ingest.json_values import Rows
from oam_rdf.ingest.language import detect, tag
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.tcf_entries import Entries
from oam_rdf.ingest.tcf_refs import external_refs
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import DOCUMENT, Extraction, KnowledgeObject, ParsedDocument, Passage, Relation
from oam_rdf.store import tcf_form

VERSION = "tcf_extract_version"
_FIELD = re.compile(r"[^:]{1,100}")


def fits(rows: Rows) -> bool:
    """Whether the values of a file are one TCF-lite object."""
    value = rows[0][0] if len(rows) == 1 else None
    return (
        isinstance(value, dict) and VERSION in value and isinstance(value.get("id"), str) and bool(value["id"].strip())
    )


def parse(source: Source, profile: Profile, rows: Rows) -> ParsedDocument:
    """The extract as a document. ``rows`` are the file's values with their lines.

    :raises ParseError: if its id is nothing but white space.
    """
    (value, line), *_ = rows
    written: dict[str, Any] = value
    paper = written["id"].strip()
    if not paper:
        raise ParseError("a TCF-lite object without an id", place=source.place(line), hint="name its paper")
    shown = " ".join(text for text in _texts(written) if text)
    language = tag(str(written.get("language") or ""), shown) or detect(shown, profile.language or "en")
    places = Places(source)
    head = _Head(source, written, language, line, places)
    entries = Entries(source, written, language, places)
    objects = list(entries.read())
    refs, ref_rows = external_refs(source, written, places)
    document, extraction = head.read(entries.rows | ({"external_refs": ref_rows} if ref_rows else {}))
    relations = [Relation("", "derived_from", paper, line), *entries.relations, *refs]
    return ParsedDocument(
        id=paper + tcf_form.SUFFIX,
        path=source.path,
        sha256=source.sha256,
        length=len(source.text),
        media_type="application/json",
        profile=profile.name,
        language=language,
        objects=(document, *objects),
        relations=tuple(relations),
        passages=tuple(_passages(document, objects, language)),
        terms=tuple(dict.fromkeys(item.title for item in (document, *objects) if item.title)),
        about=head.about,
        extraction=extraction,
    )


def _texts(written: dict[str, Any]) -> Iterator[str]:
    for name in ("title", "theory_name", "notes"):
        yield str(written.get(name) or "")
    for name in tcf_form.CLASSES:
        for entry in written[name] if isinstance(written.get(name), list) else ():
            if isinstance(entry, dict):
                yield str(entry.get("description") or entry.get("statement") or entry.get("name") or "")


def _passages(document: KnowledgeObject, objects: list[KnowledgeObject], language: str) -> Iterator[Passage]:
    """One for each entry that says something; the document itself where none does."""
    lead = True
    for item in objects:
        parts = (item.title, item.formula, item.content, item.description)
        text = "\n".join(dict.fromkeys(part for part in parts if part))
        if text.strip():
            yield Passage("", -1, -1, item.title, text, item.language or language, lead=lead, object=item.id)
            lead = False
    if lead:
        yield Passage("", -1, -1, "", document.title, language, lead=True)


class _Head:
    """The document itself, with what the graph does not carry of its keys."""

    def __init__(self, source: Source, written: dict[str, Any], language: str, line: int, places: Places) -> None:
        self.source, self.written, self.language, self.line = source, written, language, line
        self.places = places
        file = self._word("source_file")
        self.about = (written["id"].strip(), *([file] if file else []))

    def read(self, rows: dict[str, Any]) -> tuple[KnowledgeObject, Extraction | None]:
        """The document and its extraction; ``rows`` are members of lists that are no entries, by list and place."""
        written, paper = self.written, self.about[0]
        work = self._word("title") or paper
        # What the exporter will read out of the graph, under the keys of the format.
        said: dict[str, Any] = {"id": paper, "language": self.language, "title": work}
        if len(self.about) > 1:
            said["source_file"] = self.about[1]
        extra: dict[str, str] = {}
        version = self._word(tcf_version := "tcf_extract_version")
        if version:
            extra["provenance.tcf_version"] = said[tcf_version] = version
        agent, when = self._word("extracted_by"), self._when()
        if agent:
            said["extracted_by"] = agent
        if when:
            said["extraction_date"] = tcf_form.date(when)
        status = self._status()
        if status:
            said["canonical_status"] = status
        known = {
            *said,
            *tcf_form.CLASSES,
            "dag",
            "external_refs",
            "id",
            "language",
            "title",
            "source_file",
            tcf_version,
        }
        known |= {"extracted_by", "extraction_date", "canonical_status"}
        for name, value in written.items():
            # A text under a key that has no property is a field; anything else is kept as the JSON it is.
            if name not in known and isinstance(value, str) and value and _FIELD.fullmatch(name) and "." not in name:
                extra[name] = said[name] = value
        # Every member of a list is an entry with its remainder, or a row: a list that has members comes back as it is.
        lists = {name: written.get(name) for name in (*tcf_form.CLASSES, "dag", "external_refs")}
        said |= {name: members for name, members in lists.items() if members and isinstance(members, list)}
        remainder = tcf_form.difference(written, said)
        if rows:
            remainder["rows"] = rows
        visible = visibility.in_value(written, self.source, self.line)
        axes = {"provenanceType": "extracted"} | ({"canonicalStatus": status} if status else {})
        superseded = status == "superseded"
        item = KnowledgeObject(
            id="", granularity=DOCUMENT, title=tcf_form.title(work, self.language), language=self.language, line=self.line,
            aliases=(paper,), extra=extra, axes=axes, visibility=visible, remainder=tcf_form.text_of(remainder),
            version_status="SUPERSEDED" if superseded else "", status_label=status if superseded else "",
        )  # fmt: skip
        made = Extraction(agent, when) if agent or when else None
        return item, made

    def _word(self, name: str) -> str:
        """A text of the document, "" if there is none or another value."""
        value = self.written.get(name)
        return value if isinstance(value, str) and value.strip() else ""

    def _when(self) -> str:
        written = self._word("extraction_date")
        when = dates.moment(written) if written else ""
        if written and not when:
            self.source.issue(
                "bad-date",
                f"extraction_date {written!r} is no date",
                line=self.places.line("extraction_date"),
                hint="write 2026-07-31",
            )
        return when

    def _status(self) -> str:
        written = self.written.get("canonical_status")
        known = notation("canonical-status", written) if isinstance(written, str) else ""
        if written and not known:
            self.source.issue(
                "unknown-label",
                f"unknown canonical status {written!r}",
                line=self.places.line("canonical_status"),
                hint="kept as written",
            )
        return known
