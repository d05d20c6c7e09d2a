"""Labels with which authors open a statement: ``**Conjecture C1.**``, ``**猜想 C1（狀態：…）**：``, ``Theorem 3.``"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from oam_rdf.ingest.profiles import Profile, key

_NUMBER = r"[A-Z]{0,3}-?\d+(?:\.\d+)*[a-z]?'?|[A-Z](?![\w’'])|[IVX]{1,5}(?!\w)|[一二三四五六七八九十]{1,3}(?![\w])"
_PAREN = r"[（(](?P<paren>[^（）()\n]{1,160})[)）]"
# Written like a corpus-wide id, but the name of a standard or of a document elsewhere.
_STANDARDS = (
    "ISO IEC RFC IEEE ECMA CVE CWE ANSI DIN GB CNS NIST FIPS UTF SHA EN BS PEP EIP ERC BIP KEP JEP ITU ASTM JIS"
)
_FOREIGN = frozenset(_STANDARDS.split())
_CORPUS_ID = re.compile(r"(?P<id>[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*-\d{3,}[a-z]?)(?![\w-])")
_LOCAL_ID = re.compile(r"(?P<id>[A-Z]{1,2}\d{1,3}(?:\.\d+)*|[a-z]{2,}(?:-[a-z]+)*-\d+)(?![\w-])")
_STATE = re.compile(r"(?:狀態|状态|status|state|認識狀態|认识状态)\s*[：:=]\s*(?P<state>[^，,；;]+)", re.IGNORECASE)
_END = re.compile(
    rf"\s*(?:{_PAREN})?\s*(?P<early>[.:：。．])?(?P<bold>\*\*|__)?\s*"
    rf"(?:{_PAREN.replace('paren', 'late')})?\s*(?P<last>[.:：。．])?"
)
_LETTERS = {"H": "HYPOTHESIS", "C": "CONJECTURE", "T": "THEOREM", "D": "DEFINITION", "A": "AXIOM", "L": "LEMMA",
            "Q": "QUESTION", "O": "OBSERVATION", "P": ""}  # fmt: skip


# Labels that say what a statement does to another one; what it is in itself says the kind.
_ROLES = frozenset({"COUNTEREXAMPLE", "CRITIQUE"})


@dataclass(frozen=True, slots=True)
class Label:
    """``author_id`` as written ("C1", "Theorem 3"; "" if the label is a bare kind), its kind and what it adds."""

    author_id: str
    kind: str
    corpus_wide: bool = False
    name: str = ""
    state: str = ""
    length: int = 0  # characters of the label
    role: str = ""  # the role that the label's word names: a counterexample or a critique


def read(text: str, profile: Profile, *, heading: bool = False, above: str = "") -> Label | None:
    """The label that ``text`` (a paragraph, an item or a heading's text) begins with, if any.

    ``above`` is the title of the section it stands in: a bare ``H1`` in a heading is a hypothesis only below one that
    speaks of hypotheses.
    """
    start = len(text) - len(text.lstrip("> \t"))
    bold = text.startswith(("**", "__"), start)
    begin = start + 2 if bold else start
    word = _words(tuple(sorted(profile.kinds))).match(text, begin)
    if word and (bold or word["number"]):
        label = _worded(text, word, profile, bold=bold, heading=heading)
        if label:
            return label
    corpus = _CORPUS_ID.match(text, begin)
    if corpus and corpus["id"].split("-")[0] not in _FOREIGN and not heading:
        end = _END.match(text, corpus.end())
        if end and ((bold and end["bold"]) or _mark(end) in (":", "：")):
            return _finished(corpus["id"], "", end, corpus_wide=True)
    local = _LOCAL_ID.match(text, begin)
    if local and (bold or heading):
        kind = _kind_above(above, profile)
        fits = kind is not None and _LETTERS.get(local["id"][0], "?") == kind
        end = _END.match(text, local.end())
        if end and (_mark(end) or end["paren"]) and (fits or not heading) and (not bold or end["bold"] or heading):
            return _finished(local["id"], kind if fits and kind else "", end)
    return None


@lru_cache(maxsize=16)
def _words(kinds: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(re.escape(k) for k in sorted(kinds, key=len, reverse=True))
    return re.compile(rf"(?P<word>(?i:{words}))(?![a-z])\s*(?P<number>{_NUMBER})?")


def _worded(text: str, word: re.Match[str], profile: Profile, *, bold: bool, heading: bool) -> Label | None:
    end = _END.match(text, word.end())
    if not end:
        return None
    if heading:
        closed = bool(word["number"]) and (_mark(end) or end["paren"] or end.end() == len(text.rstrip()))
    elif bold:
        # A bare kind in bold counts only as a label of its own: **定理** …, **Theorem.** …, not **問題意識**.
        closed = bool(end["bold"] or (word["number"] and (_mark(end) or end["paren"])))
        closed = closed and bool(word["number"] or _mark(end) or end["paren"] or end["late"])
    else:
        closed = bool(_mark(end))
    if not closed:
        return None
    number = word["number"] or ""
    plain = not (number[:1].isascii() and number[:1].isalpha() and any(c.isdigit() for c in number))
    author_id = " ".join(word[0].split()) if number and plain else number
    kind = profile.kinds.get(key(word["word"]), "")
    role = profile.word("role", word["word"]) or kind
    return replace(_finished(author_id, kind, end), role=role if role in _ROLES else "")


def _mark(end: re.Match[str]) -> str:
    return end["early"] or end["last"] or ""


def _finished(author_id: str, kind: str, end: re.Match[str], *, corpus_wide: bool = False) -> Label:
    inner = end["paren"] or end["late"] or ""
    state = _STATE.search(inner)
    name = "" if state else inner.strip()
    return Label(author_id, kind, corpus_wide, name, state["state"].strip() if state else "", end.end())


def _kind_above(above: str, profile: Profile) -> str | None:
    """The kind that a heading speaks of ("" = a claim without one), None if of none."""
    folded = key(above)
    found = [word for word in profile.kinds if word and word in folded]
    if not found and "hypotheses" in folded:
        return "HYPOTHESIS"
    return profile.kinds[max(found, key=len)] if found else None
