"""Text to plan, deterministically (retrieval.md, "Plan"): rules, the id index and the ontology's cue phrases.

Every entry names the rule that made it. What a rule infers is soft; only the caller makes hard entries. A compiler of rules
cannot say a wish in other words: ``semantic.intent`` is the query's own text, where the paper's example paraphrases it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from oam_rdf.index.syntax import parse, words
from oam_rdf.query.asked import asked
from oam_rdf.query.content import runs, weight
from oam_rdf.query.cues import RELATION, Cues, Hit, written
from oam_rdf.query.directions import directed
from oam_rdf.query.entries import epistemic, operators, relations
from oam_rdf.query.exclusions import Exclusion, find_exclusions
from oam_rdf.query.families import default_routes
from oam_rdf.query.kinds import Kind, classify, heard, shared
from oam_rdf.query.limits import Limits, find_limits
from oam_rdf.query.names import Names, find_names
from oam_rdf.query.plan import Entries, Entry, Form, Lexical, Plan, Source, Version
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import fold
from oam_rdf.text.segment import has_han

DIVERSITY = 0.3  # 1 − λ of maximal marginal relevance for questions about the whole (paper §5.3)
_LOOKUP_MATTER = 6  # beyond this, a query that names an id is not only a lookup
_LED = ("DIRECTIONAL", "NEGATIVE", "VERSION")
_MOST_LOOKED_UP = 6  # parts of a query that are compared with names
_LONGEST = 2000  # characters that are looked at for cues; a longer text is a text, not a request
_OPERATIONAL = re.compile(
    r"(?:how many (?:documents|objects|statements|files|papers|pages|sections|languages|versions)"
    r"|number of (?:documents|objects|statements|files|papers|pages)|(?:database |system |index(?:ing)? |server )?status\b"
    r"|(?:is|are) (?:the )?(?:index|indexing|embeddings?|vectors?) (?:ready|complete|done|finished)"
    r"|how (?:large|big) is (?:the|this) (?:knowledge base|corpus|database|index|collection)"
    r"|多少(?:篇|份|個|个|種|种)?(?:文件|文檔|文档|物件|对象|論文|论文|語言|语言|頁面|页面)|(?:系統|系统|索引|資料庫|数据库|知識庫|知识库)(?:的)?狀?状?[態态]"
    r"|(?:知識庫|知识库|語料庫|语料库|資料庫|数据库|索引)(?:有)?多大|(?:向量|索引)(?:建好|完成|做完)了(?:嗎|吗|沒有|没有))"
    r"[^A-Za-z0-9\u4e00-\u9fff]*(?:are there|is there|do you have|are stored|in (?:the|this) (?:knowledge base|corpus|database)"
    r"|嗎|吗|如何|為何|为何)?[^A-Za-z0-9\u4e00-\u9fff]*\Z",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:this|that|it)(?: (?:one|paper|document|theory|page|claim|statement|article))?\b"
    r"|[這这那該该本此](?:篇|個|个|份|項|项|理論|理论|文|命題|命题)|它"
)


def compile_query(text: str, snapshot: Snapshot, language: str = "") -> Plan:
    """The plan of a text. ``language`` overrides what the text and its script suggest."""
    text = text.strip()
    plain = unicodedata.normalize("NFKC", text)[:_LONGEST]
    named = written(plain)
    first = find_names(plain, snapshot)
    limits = find_limits(plain, bool(first.ids or first.unknown))
    known = [*limits.spans, *(span for hit in named for span in hit.spans)]
    names = find_names(plain, snapshot, known) if known else first
    hits, folded = _hits(plain, [*names.spans, *known])
    hits = sorted([*named, *hits], key=lambda hit: hit.start)
    exclusions = [e for e in find_exclusions(plain) if not _covered(e.start, hits, names)]
    barred = [(e.start, e.end) for e in exclusions]
    if barred:
        names = find_names(plain, snapshot, [*known, *barred])
    inside = [hit for hit in hits if any(a <= hit.start < b for a, b in barred)]
    hits = [hit for hit in hits if hit not in inside]
    taken = [*names.spans, *known, *barred]
    matter = _matter(plain, hits, taken)
    names = _looked_up(names, matter, snapshot)
    counted = heard(hits, folded, bool(names.ids or names.unknown or names.whole or names.mentioned))
    if len(counted) < len(hits):
        hits, matter = counted, _matter(plain, counted, taken)
    kind = classify(folded, hits, names, weight(matter), bool(limits.as_of), limits.shape == "comparison")
    if not (kind.hinted and kind.primary in _LED):  # where it was sure, or led nowhere, a mere hint is no direction
        hits = [hit for hit in hits if hit.meaning.scheme != "direction" or hit.meaning.sure or shared(hit, hits)]
    plan = Plan(
        text=text,
        language=language or limits.language or language_of(text, snapshot.languages),
        query_type=kind.primary,
        entities=tuple(dict.fromkeys((*names.whole, *names.titles, *names.proper))) + names.unknown,
        lexical=Lexical(_include(names, matter), _excluded(exclusions), names.quoted, names.ids),
        semantic=Entry(text, "rule:text") if text else None,
        version=_version(limits, names, hits, inside),
        form=_form(kind, limits),
    )
    plan = directed(plan, hits, [*names.ids, *names.titles, *names.whole, *names.mentioned])
    plan = epistemic(operators(plan, hits, inside), hits, inside)
    plan = relations(plan, hits, kind)
    plan = replace(plan, condition=replace(plan.condition, **limits.conditions))
    if any(entry.value == "SOURCE.BACK" for entry in plan.navigation.directions) or _has(hits, "route", "SOURCE_TRACE"):
        plan = replace(plan, source=Source(Entry("true", "rule:source asked", 0.8)))
    if names.ids:
        plan = replace(plan, form=replace(plan.form, asked=asked(plain)))
    return replace(plan, route=_routes(plan, kind, plain, names, matter), answerability_risk=_risk(plan, plain, kind))


def whoosh_query(text: str, snapshot: Snapshot, language: str = "") -> Plan:
    """The plan of a query in Whoosh's syntax: its words, searched in the words alone. :raises UsageError: if it is none."""
    asked = words(parse(text))
    spoken = language or language_of(asked, snapshot.languages)
    route = (Entry("SPARSE_ONLY", "rule:syntax"),)
    return Plan(
        text=asked, language=spoken, query_type="EXACT", semantic=Entry(asked, "rule:text"), route=route, whoosh=text
    )


def language_of(text: str, known: Iterable[str]) -> str:
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


def _hits(plain: str, spans: list[tuple[int, int]]) -> tuple[list[Hit], str]:
    """Cues outside the spans, at places of the text, and the folded text in which the spans are blank."""
    folded = fold(_blank(plain, spans))
    found = Cues.load().find(folded.text)
    if folded.plain:
        return found, folded.text
    return [
        replace(
            hit,
            start=folded.span(hit.start, hit.start + 1)[0],
            end=folded.span(hit.end - 1, hit.end)[1],
            spans=tuple(folded.span(a, b) for a, b in hit.spans),
        )
        for hit in found
    ], folded.text


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _matter(plain: str, hits: list[Hit], spans: list[tuple[int, int]]) -> list[str]:
    """The query's own matter as written: no cue, no name, no word that only asks."""
    # Operators, roles and evidence are named by common words, which stay content where they are a hint.
    asking = ("direction", "query-family", RELATION)
    cued = [span for hit in hits if hit.meaning.sure or hit.meaning.scheme in asking for span in hit.spans]
    rest = fold(_blank(plain, [*spans, *cued]))
    return [plain[slice(*rest.span(start, end))].strip() for start, end in runs(rest.text)]


def _looked_up(names: Names, matter: list[str], snapshot: Snapshot) -> Names:
    """What is called here by a part of the matter; a query that asks for one thing by its name ("What is a group?", 呼吸律是
    什麼), or by a compound that stands out as a code (gen-itgc 是什麼)."""
    known = [Entry(run, "rule:named", 0.6) for run in matter[:_MOST_LOOKED_UP] if _called(run, snapshot)]
    if known:
        names = replace(names, mentioned=tuple(dict.fromkeys((*names.mentioned, *known))))
    if names.whole or names.ids or names.titles or names.quoted or len(matter) != 1:
        return names
    if "-" in matter[0] and matter[0].isascii() and " " not in matter[0]:
        names = replace(names, codes=(*names.codes, Entry(matter[0], "rule:code", 0.6)))
    return replace(names, whole=tuple(known))


def _called(name: str, snapshot: Snapshot) -> bool:
    return any(snapshot.visible[row] for row, _ in snapshot.facets.named(name))


def _covered(place: int, hits: list[Hit], names: Names) -> bool:
    """Whether a word that excludes is part of a sure cue ("without proof") or of what is quoted."""
    return any(h.start == place and h.meaning.sure for h in hits) or any(a <= place < b for a, b in names.spans)


def _include(names: Names, matter: list[str]) -> Entries:
    found = [*names.codes, *(Entry(run, "rule:content", 0.6) for run in matter)]
    return tuple({entry.value: entry for entry in reversed(found)}.values())[::-1]


def _excluded(exclusions: list[Exclusion]) -> Entries:
    return tuple(Entry(e.value, f"rule:exclusion {e.trigger}", e.confidence) for e in exclusions)


def _version(limits: Limits, names: Names, hits: list[Hit], inside: list[Hit]) -> Version:
    """Mode, date and ids. The newest is what the default mode gives: heads stand for what they supersede."""
    directions = [hit for hit in hits if hit.meaning.scheme == "direction"]
    newest = [h for h in directions if h.meaning.notation in ("VERSION.LATER", "VERSION.LATEST")]
    newest += [h for h in hits if h.meaning.scheme == "version-status" and h.meaning.notation == "ACTIVE"]
    old = [h for h in hits if h.meaning.scheme == "version-status" and h.meaning.notation == "HISTORICAL"]
    old += [h for h in directions if h.meaning.notation == "VERSION.EARLIER"]
    mode = Version().mode
    if limits.as_of:
        mode = Entry("default", f"rule:date {limits.as_of_text}", 0.8)
    elif newest or any(hit.meaning.notation in ("VERSION.EARLIER", "HISTORICAL", "SUPERSEDED") for hit in inside):
        first = next(iter(newest), None)
        mode = Entry("default", first.origin if first else "rule:old versions excluded", 0.8)
    elif old:
        mode = Entry("history", old[0].origin, old[0].confidence)
    return Version(mode, limits.as_of, names.versions)


def _form(kind: Kind, limits: Limits) -> Form:
    form = Form(shape=limits.shape or "list")
    if limits.k:
        form = replace(form, k=limits.k)
    return replace(form, diversity=DIVERSITY) if kind.primary == "GLOBAL" else form


def _has(hits: list[Hit], scheme: str, notation: str) -> bool:
    return any(hit.meaning.scheme == scheme and hit.meaning.notation == notation for hit in hits)


def _routes(plan: Plan, kind: Kind, plain: str, names: Names, matter: list[str]) -> Entries:
    named = plan.lexical.ids or plan.lexical.exact_terms or names.titles or names.proper or names.unknown or names.codes
    if _OPERATIONAL.search(plain) and not named:
        return (Entry("NO_RETRIEVAL", "rule:operational"),)
    if not plan.text:
        return ()
    evidence = any(entry.value.islower() for entry in plan.epistemic.prefer)
    routes = default_routes(plan, more=kind.more, evidence=evidence)
    if kind.primary == "EXACT" and weight(matter) > _LOOKUP_MATTER:
        routes = tuple(Entry("HYBRID", "rule:more than a name", 0.8) if r.value == "SPARSE_ONLY" else r for r in routes)
    return routes


def _risk(plan: Plan, plain: str, kind: Kind) -> Entries:
    risks = [Entry(f"no object is called {e.value}", e.origin) for e in plan.entities if e.origin == "rule:id-pattern"]
    risks += [Entry(f"asks for the field {e.value}", e.origin) for e in plan.form.asked]
    pointed = _POINTS.search(plain) if plan.navigation.directions and not plan.navigation.start else None
    if pointed:
        risks.append(Entry(f"starts from {pointed[0]!r}, which names no object", "rule:start", 0.6))
    return tuple(risks)
