"""Text to plan, deterministically (retrieval.md, "Plan"): rules, the id index and the ontology's cue phrases.

Every entry names the rule that made it. What a rule infers is soft; only the caller makes hard entries.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from oam_rdf.index.facet_table import ALIAS, IDENTIFIER
from oam_rdf.ontology import Cue, Ontology
from oam_rdf.query.asked import asked
from oam_rdf.query.plan import Directions, Entries, Entry, Epistemic, Lexical, Operator, Plan, Version
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import id_key, index_key
from oam_rdf.text.segment import has_han

# ``PEP 241``, ``KO-00042``, ``EML-IOT-2026-v4.0``, ``DOC-7#H1``, ``gen-itgc``: runs that may be ids.
_SPACED = re.compile(r"(?<![\w-])[A-Za-z]{2,12}[ \t]\d+(?![\w.]*[A-Za-z])")
_RUN = re.compile(r"(?:(?!\d+\b)[A-Za-z0-9_ΔΑ-Ωα-ω])[A-Za-z0-9_ΔΑ-Ωα-ω.#:/+@-]*")
_NUMBERED = re.compile(r"[A-Za-z][A-Za-z]*[- ]?\d+\Z")
_VERSION = re.compile(r"(?<![\w.])v\d+(?:\.\d+)*(?![\w.])", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"]{1,200})"|“([^”]{1,200})”|「([^」]{1,200})」|『([^』]{1,200})』')
_TITLED = re.compile(r"《([^》]{1,200})》")
_NAME = re.compile(r"(?<![.!?。！？:：] )(?<!^)\b[A-Z][a-z]+(?:[- ][A-Z][a-z]+)*\b")
_OPERATIONAL = re.compile(
    r"(?:how many (?:documents|objects|statements|files)|number of documents|\bstatus\b"
    r"|多少(?:篇|份|個|个)?(?:文件|文檔|文档|物件)|系統狀態|系统状态)"
    r"[^A-Za-z0-9\u4e00-\u9fff]*(?:are there|is there|do you have)?[^A-Za-z0-9\u4e00-\u9fff]*\Z",
    re.IGNORECASE,
)
_CUED = {"direction", "epistemic-state", "version-status", "route", "operator"}


def compile_query(text: str, snapshot: Snapshot, language: str = "") -> Plan:
    """The plan of a text. ``language`` overrides what the script of the text suggests."""
    text = text.strip()
    plain = unicodedata.normalize("NFKC", text)
    resolved, unresolved = _ids(plain, snapshot)
    exact = tuple(
        Entry(value.strip(), "rule:quoted") for match in _QUOTED.finditer(text) if (value := _group(match)).strip()
    )
    names = [Entry(_group(match).strip(), "rule:title") for match in _TITLED.finditer(text)]
    names += _names(plain, snapshot, [entry.value for entry in resolved + unresolved])
    plan = Plan(
        text=text,
        language=language or language_of(text, snapshot.passages.languages),
        entities=tuple(dict.fromkeys(names)) + unresolved,
        lexical=Lexical(exact_terms=exact, ids=resolved),
        semantic=Entry(text, "rule:text") if text else None,
        version=Version(id=tuple(Entry(m.group(), "rule:version-pattern", 0.8) for m in _VERSION.finditer(plain))),
    )
    plan = _cues(plan, index_key(plain))
    if resolved:
        plan = replace(plan, form=replace(plan.form, asked=asked(plain)))
    if _OPERATIONAL.search(plain) and not (resolved or names or exact):
        plan = replace(plan, route=(Entry("NO_RETRIEVAL", "rule:operational"),))
    return replace(plan, query_type=_type(plan), answerability_risk=_risk(plan))


def language_of(text: str, known: list[str]) -> str:
    """Primary language subtag that the script of the text suggests: Han is zh, kana ja, Hangul ko.

    A Latin text is English unless the corpus has Latin-script languages and English is not among them.
    """
    if re.search(r"[\u3041-\u30ff]", text):
        return "ja"
    if has_han(text):
        return "zh"
    if re.search(r"[\uac00-\ud7a3]", text):
        return "ko"
    latin = sorted({tag.lower().partition("-")[0] for tag in known} - {"zh", "ja", "ko", ""})
    return "en" if "en" in latin or not latin or not text else latin[0]


def _group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def _ids(text: str, snapshot: Snapshot) -> tuple[Entries, Entries]:
    """Runs that name an object by identifier or alias, and runs of the same make that name nothing."""
    resolved: dict[str, Entry] = {}
    unresolved: dict[str, Entry] = {}
    facets, visible = snapshot.facets, snapshot.visible
    taken: list[tuple[int, int]] = []
    for pattern in (_SPACED, _RUN):
        for match in pattern.finditer(text):
            run = match.group().rstrip(".:/+@-#")
            start, end = match.start(), match.start() + len(run)
            if any(start < b and a < end for a, b in taken) or not run or not _idlike(run):
                continue
            hits = [row for row, kind in facets.named(run) if kind in (IDENTIFIER, ALIAS) and visible[row]]
            if hits:
                resolved.setdefault(run, Entry(run, "rule:id-index"))
                taken.append((start, end))
            elif _NUMBERED.match(run) and re.sub(r"[\W\d]", "", run).casefold() in snapshot.id_prefixes:
                unresolved.setdefault(run, Entry(run, "rule:id-pattern", 0.9))
                taken.append((start, end))
    return tuple(resolved.values()), tuple(unresolved.values())


def _idlike(run: str) -> bool:
    """An id has a digit or joiner in it; a bare word is a word, even where a page is called so (hazard 71)."""
    return any(c.isdigit() for c in run) or any(c in "-_#" for c in run[1:-1])


def _names(text: str, snapshot: Snapshot, ids: list[str]) -> list[Entry]:
    """Proper names: capitalised words inside an English sentence, and the object that the whole text names."""
    names: list[Entry] = []
    if any(snapshot.visible[row] for row, _ in snapshot.facets.named(text)):
        names.append(Entry(text, "rule:named"))
    if not has_han(text) and not text.istitle():
        names += [Entry(m.group(), "rule:proper-name", 0.6) for m in _NAME.finditer(text)]
    taken = {id_key(value) for value in ids}
    return [name for name in names if id_key(name.value) not in taken and not any(name.value in i for i in ids)]


@lru_cache(maxsize=4)
def _phrases(ontology: Ontology) -> tuple[tuple[str, Cue], ...]:
    """Cue phrases as index keys, longest first. Labels of directions and states are cues too."""
    cues = [cue for cue in ontology.cues() if cue.scheme in _CUED]
    for concept in ontology.concepts.values():
        if concept.scheme in ("direction", "epistemic-state"):
            cues += [
                Cue(label, language, concept.scheme, concept.notation, False)
                for language, label in concept.labels.items()
            ]
            cues.append(Cue(concept.notation, "", concept.scheme, concept.notation, False))
    found = {(index_key(cue.phrase), cue.scheme, cue.notation): cue for cue in cues}
    kept = [(key, cue) for (key, scheme, _), cue in found.items() if len(key) > 1 and _tells(key, scheme)]
    return tuple(sorted(kept, key=lambda item: (-len(item[0]), item[0], item[1].notation)))


def _tells(key: str, scheme: str) -> bool:
    """A single English word such as "historical" is content in too many queries to switch history on."""
    return not (key.isascii() and key.isalpha() and scheme in ("version-status", "operator", "route"))


def _cues(plan: Plan, folded: str) -> Plan:
    taken: list[tuple[int, int, str]] = []
    hits: dict[str, list[Entry]] = {}
    ambiguous: dict[str, list[str]] = {}
    for key, cue in _phrases(Ontology.load()):
        at = _find(folded, key)
        if at < 0 or any(at < end and start < at + len(key) and key != phrase for start, end, phrase in taken):
            continue
        taken.append((at, at + len(key), key))
        if cue.scheme == "direction":
            ambiguous.setdefault(key, []).append(cue.notation)
        entry = Entry(cue.notation, f"rule:cue {cue.phrase}", 0.5 if cue.hidden else 0.8)
        if cue.notation not in {known.value for known in hits.setdefault(cue.scheme, [])}:
            hits[cue.scheme].append(entry)
    notes = tuple(
        f"{phrase!r} may mean {', '.join(sorted(set(meanings)))}"
        for phrase, meanings in ambiguous.items()
        if len(set(meanings)) > 1
    )
    directions = tuple(hits.get("direction", ()))
    history = [e for e in hits.get("version-status", ()) if e.value == "HISTORICAL"]
    history += [e for e in directions if e.value == "VERSION.EARLIER"]
    if any(entry.value in ("VERSION.LATER", "VERSION.LATEST") for entry in directions):
        history = []
    mode = Entry("history", history[0].origin, history[0].confidence) if history else plan.version.mode
    return replace(
        plan,
        navigation=Directions(directions=directions, start=plan.lexical.ids if directions else ()),
        epistemic=Epistemic(prefer=tuple(hits.get("epistemic-state", ()))),
        operator=Operator(prefer=tuple(hits.get("operator", ()))),
        route=tuple(e for e in hits.get("route", ()) if e.value != "NO_RETRIEVAL"),
        version=replace(plan.version, mode=mode),
        notes=notes,
    )


def _find(text: str, key: str) -> int:
    """Where a phrase stands in a text; Latin phrases only as whole words."""
    at = text.find(key)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(key) : at + len(key) + 1]
        if not ((key[0].isascii() and before.isascii() and before.isalnum())
                or (key[-1].isascii() and after.isascii() and after.isalnum())):  # fmt: skip
            return at
        at = text.find(key, at + 1)
    return -1


def _type(plan: Plan) -> str:
    directions = {entry.value for entry in plan.navigation.directions}
    routes = {entry.value for entry in plan.route}
    if directions & {"CRITIQUE.OPPOSING", "COUNTEREXAMPLE.NEAREST"}:
        return "NEGATIVE"
    if "VERSION_TRACE" in routes or any(name.startswith("VERSION.") for name in directions) or plan.version.id:
        return "VERSION"
    if "GRAPH_GLOBAL" in routes:
        return "GLOBAL"
    if directions:
        return "DIRECTIONAL"
    if "GRAPH_LOCAL" in routes:
        return "RELATIONAL"
    if plan.lexical.ids or plan.lexical.exact_terms:
        return "EXACT"
    return "EPISTEMIC" if plan.epistemic.prefer else "SEMANTIC"


def _risk(plan: Plan) -> Entries:
    risks = [Entry(f"no object is called {e.value}", e.origin) for e in plan.entities if e.origin == "rule:id-pattern"]
    risks += [Entry(f"asks for the field {e.value}", e.origin) for e in plan.form.asked]
    return tuple(risks)

