"""What a query names: ids by pattern and id index, versions, quoted text, titles, codes and proper names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from oam_rdf.index.facet_table import ALIAS, IDENTIFIER
from oam_rdf.query.plan import Entries, Entry
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.text.normalise import id_key
from oam_rdf.text.segment import has_han

# ``PEP 241``, ``KO-00042``, ``EML-IOT-2026-v4.0``, ``DOC-7#H1``, ``gen-itgc``: runs that may be ids.
_SPACED = re.compile(r"(?<![\w-])[A-Za-z]{2,12}[ \t]\d+(?![\w.]*[A-Za-z])")
_RUN = re.compile(r"(?:(?!\d+\b)[A-Za-z0-9_ΔΑ-Ωα-ω])[A-Za-z0-9_ΔΑ-Ωα-ω.#:/+@-]*")
_NUMBERED = re.compile(r"[A-Za-z][A-Za-z]*[- ]?\d+\Z")
# A code even where the corpus does not know it: letters and digits in one run, an underscore, capitals with a hyphen.
_CODE = re.compile(r"(?=[^\d]*\d)(?=.*[^\W\d_]).+|.+[_#].+|[A-Z]{1,}[A-Z0-9]*-[A-Z0-9][A-Za-z0-9-]*")
_VERSION = re.compile(
    r"(?<![\w.-])(v\d+(?:\.\d+)*)(?![\w.]*\w)|\bversion (\d+(?:\.\d+)*)\b|第\s*([一二三四五六七八九十\d]{1,3})\s*版(?!本)"
    r"|(?<![\d.])(\d+\.\d+(?:\.\d+)*)\s*版|版本\s*(\d+(?:\.\d+)*)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"([^"]{1,200})"|“([^”]{1,200})”|「([^」]{1,200})」|『([^』]{1,200})』')
_TITLED = re.compile(r"《([^》]{1,200})》")
_NAME = re.compile(r"(?<![.!?。！？:：] )(?<!^)\b[A-Z][a-z]+(?:[- ][A-Z][a-z]+)*\b")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Names:
    """``ids`` name an object here, ``unknown`` look like one and name none, ``codes`` are written like a code; ``spans``
    are the characters of all but the proper names. ``whole``: the text is a name and no more; ``mentioned``: a part of it is
    what an object is called here."""

    ids: Entries = ()
    unknown: Entries = ()
    codes: Entries = ()
    quoted: Entries = ()
    titles: Entries = ()
    versions: Entries = ()
    proper: Entries = ()
    whole: Entries = ()
    mentioned: Entries = ()
    spans: tuple[Span, ...] = ()


def find_names(text: str, snapshot: Snapshot, barred: Iterable[Span] = ()) -> Names:
    """Everything that a normalised text names; nothing that touches a ``barred`` range."""
    barred = list(barred)

    def free(start: int, end: int) -> bool:
        return not any(start < b and a < end for a, b in barred)

    quotes = [m for m in _QUOTED.finditer(text) if free(*m.span()) and _group(m).strip()]
    titled = [m for m in _TITLED.finditer(text) if free(*m.span())]
    taken = [m.span() for m in (*quotes, *titled)]
    ids: dict[str, Entry] = {}
    unknown: dict[str, Entry] = {}
    codes: dict[str, Entry] = {}
    versions = [m for m in _VERSION.finditer(text) if free(*m.span())]
    for pattern in (_SPACED, _RUN):
        for match in pattern.finditer(text):
            run = match.group().rstrip(".:/+@-#")
            start, end = match.start(), match.start() + len(run)
            # Quoted text is looked at too: an id between marks names its object all the same.
            if (
                not run
                or not _idlike(run)
                or not free(start, end)
                or _meets(start, end, taken[len(quotes) + len(titled) :])
            ):
                continue
            if any(snapshot.visible[row] for row, kind in snapshot.facets.named(run) if kind in (IDENTIFIER, ALIAS)):
                ids.setdefault(run, Entry(run, "rule:id-index"))
            elif _NUMBERED.match(run) and re.sub(r"[\W\d]", "", run).casefold() in snapshot.id_prefixes:
                unknown.setdefault(run, Entry(run, "rule:id-pattern", 0.9))
            elif _coded(run, pattern is _SPACED):
                codes.setdefault(run, Entry(run, "rule:code", 0.6))
            else:
                continue
            taken.append((start, end))
    marks = taken[len(quotes) + len(titled) :]
    versions = [m for m in versions if not _meets(*m.span(), marks)]
    titles = tuple(Entry(_group(m).strip(), "rule:title") for m in titled)
    whole = bool(text) and any(snapshot.visible[row] for row, _ in snapshot.facets.named(text))
    return Names(
        tuple(ids.values()),
        tuple(unknown.values()),
        tuple(codes.values()),
        tuple(Entry(_group(m).strip(), "rule:quoted") for m in quotes),
        titles,
        tuple(dict.fromkeys(Entry(_group(m), "rule:version-pattern", 0.8) for m in versions)),
        _proper(text, [*ids, *unknown], free),
        (Entry(text, "rule:named"),) if whole and not ids and free(0, len(text)) else (),
        tuple(title for title in titles if any(snapshot.visible[row] for row, _ in snapshot.facets.named(title.value))),
        tuple(sorted([*taken, *(m.span() for m in versions)])),
    )


def _group(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group is not None)


def _meets(start: int, end: int, spans: list[Span]) -> bool:
    return any(start < b and a < end for a, b in spans)


def _idlike(run: str) -> bool:
    """An id has a digit or joiner in it; a bare word is a word, even where a page is called so (hazard 71)."""
    return any(c.isdigit() for c in run) or any(c in "-_#" for c in run[1:-1])


def _coded(run: str, spaced: bool) -> bool:
    """Whether a run that names nothing here is written like a code all the same: ``S7``, ``Δ_OT``, ``ISO 8601``."""
    if spaced:
        return run.partition(" ")[0].isupper()
    if _VERSION.fullmatch(run):
        return False
    return bool(_CODE.fullmatch(run))


def _proper(text: str, ids: list[str], free: Callable[[int, int], bool]) -> Entries:
    """Capitalised words inside an English sentence, probably names."""
    if has_han(text) or text.istitle():
        return ()
    keys = {id_key(value) for value in ids}
    names = [m for m in _NAME.finditer(text) if free(*m.span())]
    found = dict.fromkeys(Entry(m.group(), "rule:proper-name", 0.6) for m in names)
    return tuple(n for n in found if id_key(n.value) not in keys and not any(n.value in i for i in ids))
