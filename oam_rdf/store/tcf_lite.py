"""TCF-lite 0.1 out of the graph of a document (formats.md, "Out").

What came as TCF-lite comes back as the same JSON, after verdicts too, which have a file of their own
(:mod:`oam_rdf.store.verdict_file`). Any other document gives what an extract of it would say without anybody's reading:
its labelled axioms and theorems, its definitions, and the relations that it states.
"""

from __future__ import annotations

import json
from typing import Any

from pyoxigraph import Store

from oam_rdf.namespaces import DCTERMS, OAM, PROV, RDFS, SCHEMES
from oam_rdf.store import tcf_form
from oam_rdf.store.document_facts import DocumentFacts, as_file, only_document
from oam_rdf.store.minter import Minter
from oam_rdf.store.selection import Selection
from oam_rdf.store.tcf_form import Json
from oam_rdf.store.tcf_plain import extract

_TITLE, _DESCRIPTION, _PART_OF = DCTERMS + "title", DCTERMS + "description", DCTERMS + "isPartOf"
_DEPENDS = OAM + "dependsOn"
_KEYS = {"primitives": "symbol", "axioms": "name", "theorems": "name", "concepts": "name"}
_CONTENT = {"primitives": "description", "axioms": "description", "theorems": "statement"}


def tcf_lite(store: Store, minter: Minter, document_id: str) -> Json:
    """The TCF-lite object of the document called ``document_id``.

    :raises NotFound: when there is no such document.
    """
    facts = DocumentFacts(store, minter, document_id)
    if facts.text(facts.iri, OAM + "about"):
        return _Extract(facts).result()
    return extract(facts, store, minter, document_id)


def dump(selection: Selection) -> bytes:
    """The one document that is selected, as a file. :raises UsageError: for none or several: each has a file of its own."""
    return as_file(tcf_lite(selection.store, selection.minter, only_document(selection)))


class _Extract:
    """A document that was an extract when it came in."""

    def __init__(self, facts: DocumentFacts) -> None:
        self.facts = facts
        self.remainder = self._remainder(facts.iri)
        self.entries: dict[str, list[str]] = {}  # list -> its entries in order
        for name, kind in tcf_form.CLASSES.items():
            found = [s for s in facts.of_type(kind) if facts.text(s, _PART_OF) == facts.iri]
            self.entries[name] = sorted(found, key=lambda s: facts.number(s, "order") or 0)
        self.author = {
            s: facts.text(s, OAM + "authorId") for name in ("axioms", "theorems") for s in self.entries[name]
        }
        #: Entries that an id means: the first that has it.
        self.first: dict[str, str] = {}
        for subject, identifier in self.author.items():
            self.first.setdefault(identifier, subject)
        self.dangling: dict[str, list[str]] = {}
        self.refs: dict[int, str] = {}
        for node in sorted(facts.of_type("Relation"), key=_place):
            order = facts.number(node, "order")
            if order is not None:
                self.refs.setdefault(order, node)
            elif facts.text(node, OAM + "relationType") == _DEPENDS and not facts.text(node, OAM + "inverted"):
                label = facts.text(node, OAM + "targetLabel")
                if label.startswith("#"):
                    self.dangling.setdefault(facts.text(node, OAM + "relationSource"), []).append(label[1:])

    def result(self) -> Json:
        facts, iri = self.facts, self.facts.iri
        title = tcf_form.work_title(facts.text(iri, _TITLE))
        said: Json = {
            "id": facts.text(iri, OAM + "about"),
            "title": title,
            "language": facts.text(iri, DCTERMS + "language"),
        }
        for key, value in (
            ("source_file", facts.text(iri, OAM + "aboutFile")),
            ("tcf_extract_version", facts.text(iri, OAM + "tcfVersion")),
            ("canonical_status", facts.text(iri, OAM + "canonicalStatus").removeprefix(SCHEMES["canonical-status"])),
            *self._extraction(),
            *(field.split(": ", 1) for field in facts.texts(iri, OAM + "sourceField")),
        ):
            if value:
                said[key] = value
        rows = self.remainder.get("rows", {})
        for name, entries in self.entries.items():
            members = {self._order(entry): self._entry(name, entry) for entry in entries}
            said[name] = tcf_form.with_rows(members, rows.get(name, {}))
        said["dag"] = tcf_form.with_rows(self._dag(), rows.get("dag", {}))
        refs = {order: self._reference(node) for order, node in self.refs.items()}
        said["external_refs"] = tcf_form.with_rows(refs, rows.get("external_refs", {}))
        lists = (*tcf_form.CLASSES, "dag", "external_refs")
        return tcf_form.restored({k: v for k, v in said.items() if v or k not in lists}, self.remainder)

    def _extraction(self) -> list[tuple[str, str]]:
        facts = self.facts
        activity = next((a for a in facts.texts(facts.iri, PROV + "wasGeneratedBy") if a.endswith("#extraction")), "")
        agent = facts.text(activity, PROV + "wasAssociatedWith")
        when = facts.text(activity, PROV + "endedAtTime")
        return [("extracted_by", facts.text(agent, RDFS + "label")), ("extraction_date", tcf_form.date(when))]

    def _order(self, subject: str) -> int:
        return self.facts.number(subject, "order") or 0

    def _remainder(self, subject: str) -> Json:
        written = self.facts.text(subject, OAM + "remainder")
        return dict(json.loads(written)) if written else {}

    # -- entries ---------------------------------------------------------------------------------------------------

    def _entry(self, name: str, subject: str) -> Json:
        facts = self.facts
        said: dict[str, Any] = {
            "id": self.author.get(subject, ""),
            _KEYS[name]: facts.text(subject, _TITLE),
            "formula": facts.text(subject, OAM + "formula"),
            "description": facts.text(subject, _DESCRIPTION),
            "kind": facts.text(subject, OAM + "primitiveKind").removeprefix(SCHEMES["primitive-kind"]),
            "evidence": facts.text(subject, OAM + "quote"),
        }
        if name in _CONTENT:
            said[_CONTENT[name]] = facts.text(subject, OAM + "content")
        else:
            said["canonical"] = facts.text(subject, OAM + "alias")
            said["role"] = self._role(subject)
        if name == "theorems" and self.author[subject] and self.first[self.author[subject]] == subject:
            said["from_axioms"] = tcf_form.axioms_among(self._targets(subject), self._ids("axioms"))
        return tcf_form.restored({key: value for key, value in said.items() if value}, self._remainder(subject))

    def _role(self, concept: str) -> str:
        names = tcf_form.notations()
        found = {names[iri] for iri in names if concept in self.facts.texts(self.facts.iri, iri)}
        return next((role for role in tcf_form.ROLES if role in found), "")

    def _ids(self, name: str) -> list[str]:
        return [self.author[s] for s in self.entries[name] if self.author[s]]

    def _targets(self, subject: str) -> list[str]:
        """The ids of what an entry depends on, those that no entry has last."""
        known = [self.author.get(target, "") for target in self.facts.texts(subject, _DEPENDS)]
        return [name for name in known if name] + self.dangling.get(subject, [])

    def _dag(self) -> dict[int, Json]:
        order = self._ids("axioms") + self._ids("theorems")
        rows: dict[int, Json] = {}
        for name, kind in tcf_form.DAG_KINDS.items():
            for subject in self.entries[name]:
                place = self.facts.number(subject, "dagOrder")
                if place is not None:
                    row = tcf_form.dag_row(self.author[subject], kind, self._targets(subject), order)
                    rows[place] = tcf_form.restored(row, self._remainder(subject).get("dag", {}))
        return rows

    # -- references ------------------------------------------------------------------------------------------------

    def _reference(self, node: str) -> Json:
        facts = self.facts
        kind = tcf_form.notations().get(facts.text(node, OAM + "relationType"), "")
        said: dict[str, Any] = {
            "target": facts.text(node, OAM + "writtenAs") or facts.text(node, OAM + "targetLabel"),
            "type": facts.text(node, OAM + "sourceLabel") or kind,
            "evidence": facts.text(node, OAM + "quote"),
        }
        said = {key: value for key, value in said.items() if value}
        confidence = facts.text(node, OAM + "confidence")
        if confidence:
            said["confidence"] = float(confidence)
        return tcf_form.restored(said, self._remainder(node))


def _place(node: str) -> tuple[str, int]:
    """Relation nodes in the order in which they were written: ``…#rel2`` before ``…#rel10``."""
    head, _, number = node.rpartition("rel")
    return head, int(number) if number.isdigit() else 0
