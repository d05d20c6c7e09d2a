"""The entries of TCF-lite: primitives, axioms, theorems, concepts, and what ``dag`` says of how they depend on each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from oam_rdf.ingest.json_places import Places
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import OTHER, STATEMENT, KnowledgeObject, Quote, Relation
from oam_rdf.store import tcf_form

_NO_QUOTE = "an extract that quotes nothing"
# Fragments that name what belongs to an object, not an object (store/minter.py).
_TAKEN = re.compile(r"(?:span|quote|rel|op|state|evidence|event)\d*(?:-\w+)?\Z|work-|audit-|extraction\Z")
_KINDS = {"axioms": "AXIOM", "theorems": "THEOREM"}
#: Which key of an entry names it, and which of its texts is its content, the best first.
_NAME = {"primitives": "symbol", "axioms": "name", "theorems": "name", "concepts": "name"}
_CONTENT = {"primitives": "description", "axioms": "description", "theorems": "statement", "concepts": ""}


class Entries:
    """Reads the four lists and ``dag``. ``rows`` are the members that are no entries, by list and place."""

    def __init__(self, source: Source, written: dict[str, Any], language: str, places: Places) -> None:
        self.source, self.written, self.language, self.lines = source, written, language, places
        self.relations: list[Relation] = []
        self.rows: dict[str, dict[str, Any]] = {}
        self._locals: dict[str, str] = {}  # the author's id -> local id
        self._order: dict[str, list[str]] = {"axioms": [], "theorems": []}
        self._places: dict[str, int] = {}  # the author's id -> its row of dag
        self._needs: dict[str, list[str]] = {}  # the author's id -> what it depends on, as written and in any list
        self._said: dict[
            tuple[str, str], int
        ] = {}  # (the author's id, what it depends on) -> the first line that says so
        self._used: set[str] = set()

    def read(self) -> Iterator[KnowledgeObject]:
        """The entries in order of appearance; :attr:`relations` and :attr:`rows` are complete afterwards."""
        for name in ("axioms", "theorems"):
            for _, entry in self._members(name):
                identifier = self._text(entry, "id")
                if identifier and identifier not in self._locals:
                    self._locals[identifier] = self._unused(identifier)
                    self._order[name].append(identifier)
        self._read_dag()
        for name in tcf_form.CLASSES:
            seen: set[str] = set()
            for place, entry in self._members(name):
                yield self._entry(name, place, entry, seen)
        self._depend()

    # -- one entry -------------------------------------------------------------------------------------------------

    def _entry(self, name: str, place: int, entry: dict[str, Any], seen: set[str]) -> KnowledgeObject:
        said: dict[str, Any] = {}

        def text(key: str) -> str:
            value = self._text(entry, key)
            if value:
                said[key] = value
            return value

        statement = name in _KINDS
        identifier = text("id") if statement else ""
        local = self._local(name, place, entry, identifier, seen)
        first = identifier not in seen
        seen.add(identifier)
        title = text(_NAME[name])
        formula = text("formula") if name == "axioms" else ""
        content = text(_CONTENT[name]) if _CONTENT[name] else ""
        description = text("description") if name == "theorems" else ""
        evidence = text("evidence")
        if statement and not content:
            # A statement has its text: the best that the entry says of it, which the remainder tells from its content.
            content = said[_CONTENT[name]] = description or formula or title or identifier or f"{name}[{place}]"
        if not statement and not content and not title:
            title = said[_NAME[name]] = f"{name}[{place}]"
        axes = {"provenanceType": "extracted"}
        aliases: tuple[str, ...] = ()
        if name == "primitives":
            kind = self._kind(place, entry)
            if kind:
                axes["primitiveKind"] = said["kind"] = kind
        elif name == "concepts":
            canonical = text("canonical")
            aliases = (canonical,) if canonical else ()
            role = self._role(place, entry)
            if role:
                said["role"] = role
                line = self.lines.line(name, place, "role")
                self.relations.append(Relation("", role, local, line, local=True))
        remainder: dict[str, Any] = {}
        place_in_dag = None
        if statement and identifier and first:
            place_in_dag, remainder = self._dag_remainder(name, identifier)
        if name == "theorems":
            axioms = self._implied(identifier, first)
            if axioms:
                said["from_axioms"] = axioms
        remainder = tcf_form.difference(entry, said) | remainder
        return KnowledgeObject(
            id=local, granularity=STATEMENT if statement else OTHER, type=tcf_form.CLASSES[name], title=title,
            content=content, language=self.language, author_id=identifier, kind=_KINDS.get(name, ""), formula=formula,
            description=description, quotes=(Quote(evidence),) if evidence else (), axes=axes, aliases=aliases,
            no_source="" if evidence or not statement else _NO_QUOTE, order=place, dag_order=place_in_dag,
            remainder=tcf_form.text_of(remainder), line=self.lines.line(name, place),
        )  # fmt: skip

    def _kind(self, place: int, entry: dict[str, Any]) -> str:
        written = self._text(entry, "kind")
        known = notation("primitive-kind", written) if written else ""
        if written and not known:
            self.source.issue("unknown-label", f"unknown primitive kind {written!r}", hint="kept as written",
                              line=self.lines.line("primitives", place, "kind"))  # fmt: skip
        return known

    def _role(self, place: int, entry: dict[str, Any]) -> str:
        written = self._text(entry, "role")
        if written in tcf_form.ROLES:
            return written
        if written:
            self.source.issue("unknown-label", f"unknown concept role {written!r}", hint="kept as written",
                              line=self.lines.line("concepts", place, "role"))  # fmt: skip
        return ""

    # -- ids -------------------------------------------------------------------------------------------------------

    def _local(self, name: str, place: int, entry: dict[str, Any], identifier: str, seen: set[str]) -> str:
        if identifier and identifier not in seen:
            return self._locals[identifier]
        if identifier:
            self.source.issue(
                "duplicate-id", f"{identifier!r} is the id of two entries", hint="references mean the first",
                line=self.lines.line(name, place, "id"),
            )  # fmt: skip
            return self._unused(f"{identifier}-{place}")
        singular = name.removesuffix("s")
        word = self._text(entry, _NAME[name]) if name not in _KINDS else ""
        return self._unused(f"{singular}-{word or place}")

    def _unused(self, wanted: str) -> str:
        """A local id that is free and no fragment of a kind that the program gives itself."""
        plain = re.sub(r"[.#]", "_", wanted)  # both would end an id
        local = plain = f"entry-{plain}" if _TAKEN.match(plain) else plain
        number = 1
        while local in self._used:
            number += 1
            local = f"{plain}-{number}"
        self._used.add(local)
        return local

    # -- what depends on what --------------------------------------------------------------------------------------

    def _read_dag(self) -> None:
        """Which row says what each entry depends on; other rows stay rows."""
        for place, row in self._members("dag"):
            identifier = self._text(row, "id")
            if identifier in self._locals and identifier not in self._places:
                self._places[identifier] = place
                self._need(identifier, row, "dag", place, "depends_on")
            else:
                self.rows.setdefault("dag", {})[str(place)] = row
        for place, entry in self._members("theorems"):
            identifier = self._text(entry, "id")
            if identifier in self._locals:
                self._need(identifier, entry, "theorems", place, "from_axioms")

    def _need(self, identifier: str, row: dict[str, Any], name: str, place: int, key: str) -> None:
        for number, target in _names(row.get(key)):
            self._needs.setdefault(identifier, []).append(target)
            self._said.setdefault((identifier, target), self.lines.line(name, place, key, number))

    def _targets(self, identifier: str) -> list[str]:
        """What the exporter will find that an entry depends on: known ids and dangling ones, without the entry itself."""
        return [name for name in dict.fromkeys(self._needs.get(identifier, ())) if name != identifier]

    def _implied(self, identifier: str, first: bool) -> list[str]:
        return tcf_form.axioms_among(self._targets(identifier), self._order["axioms"]) if identifier and first else []

    def _dag_remainder(self, name: str, identifier: str) -> tuple[int | None, dict[str, Any]]:
        place = self._places.get(identifier)
        if place is None:
            return None, {}
        order = self._order["axioms"] + self._order["theorems"]
        implied = tcf_form.dag_row(identifier, tcf_form.DAG_KINDS[name], self._targets(identifier), order)
        found = tcf_form.difference(self.written["dag"][place], implied)
        return place, {"dag": found} if found else {}

    def _depend(self) -> None:
        """One edge for each pair, whichever list states it; ids that are no entry stay as unresolved relations."""
        reported: set[str] = set()
        for identifier, local in self._locals.items():
            for name in self._targets(identifier):
                if name not in self._locals and name not in reported:
                    reported.add(name)
                    self._dangling(name, f"{identifier} depends on it", self._said[identifier, name])
                target, line = self._locals.get(name, f"#{name}"), self._said[identifier, name]
                self.relations.append(Relation(local, "depends_on", target, line, local=True))
        for place, row in self.rows.get("dag", {}).items():
            identifier = self._text(row, "id") if isinstance(row, dict) else ""
            if not identifier or identifier in self._locals:
                continue
            if identifier not in reported:
                reported.add(identifier)
                self._dangling(identifier, "dag has a row for it", self.lines.line("dag", int(place), "id"))
            seen: set[str] = set()
            for number, name in _names(row.get("depends_on")):
                if name in self._locals and name not in seen:
                    seen.add(name)
                    line = self.lines.line("dag", int(place), "depends_on", number)
                    self.relations.append(
                        Relation(self._locals[name], "required_by", f"#{identifier}", line, local=True)
                    )

    def _dangling(self, name: str, why: str, line: int) -> None:
        self.source.issue("dangling-id", f"no entry has the id {name!r}: {why}", severity="note", line=line,
                          hint="kept as an unresolved relation")  # fmt: skip

    # -- values ----------------------------------------------------------------------------------------------------

    def _members(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects of a list with their places; what else it holds becomes a row."""
        members = self.written.get(name)
        for place, entry in enumerate(members if isinstance(members, list) else ()):
            if isinstance(entry, dict):
                yield place, entry
            elif str(place) not in self.rows.setdefault(name, {}):
                self.rows[name][str(place)] = entry
                self.source.issue("not-an-object", f"{name}[{place}] is no object", hint="kept as it is",
                                  line=self.lines.line(name, place))  # fmt: skip
        if name in self.rows and not self.rows[name]:
            del self.rows[name]

    @staticmethod
    def _text(entry: dict[str, Any], key: str) -> str:
        value = entry.get(key)
        return value if isinstance(value, str) and value.strip() else ""


def _names(value: Any) -> list[tuple[int, str]]:
    """The names in a list with their places."""
    members = enumerate(value if isinstance(value, list) else ())
    return [(number, name) for number, name in members if isinstance(name, str) and name.strip()]
