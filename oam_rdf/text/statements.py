"""Where statements begin and end in raw text (segmentation.md), in code points of the text given.

:func:`sentences` cuts one paragraph or list item, :func:`statements` any raw text. A statement is the smallest span
that can be true or false *with its conditions*, so after cutting at the marks, pieces that cannot stand alone (a bare
condition or exception, a consequence of the piece before, a label) are put back together.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Sentence(NamedTuple):
    """Characters ``start:end`` of the text, without surrounding white space."""

    start: int
    end: int


HAN = "㐀-䶿一-鿿豈-﫿\U00020000-\U000323af"

# Never cut inside: escapes, code spans, math, links, addresses, roles, tags, footnote marks.
_OPAQUE = r"""
    (?<!`)(?P<ticks>`+)(?!`)(?:.+?)(?<!`)(?P=ticks)(?!`)_{0,2}
  | \$\$(?:[^$]|\\\$)+?\$\$
  | \\\((?:.{1,400}?)\\\) | \\\[(?:.{1,2000}?)\\\]
  | \\.
  | \$(?![\s$])(?:[^$\n]|\n(?!\s*\n)){1,400}?(?<![\s\\])\$(?!\d)
  | !?\[\[[^\]\n]{1,400}\]\]
  | !?\[(?:[^\[\]\n\\]|\\.){0,400}\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+"[^"\n]*")?\)
  | (?:https?|ftp|file)://[^\s<>「」『』《》（），。；、]+[^\s<>「」『』《》（），。；、.,;:!?)\]}'"*_]
  | <(?:[a-zA-Z/!][^<>\n]{0,400}|https?://[^<>\s]+)>
  | \[\^[^\]\s]+\]
"""
_OPENERS = "「『《〈（(【〔[{“"
_CLOSERS = "」』》〉）)】〕]}”"
_PARTNER = dict(zip(_CLOSERS, _OPENERS, strict=True))
_TOKEN = re.compile(
    rf"(?P<opaque>{_OPAQUE})"
    rf"|(?P<open>[{re.escape(_OPENERS)}])|(?P<close>[{re.escape(_CLOSERS)}])|(?P<quote>\")"
    r"|(?P<bold>\*{1,3}|(?<!\w)_{1,2}(?=\w)|(?<=[^\s_])_{1,2}(?!\w))"
    r"|(?P<wide>[。！？；｡]+[。！？!?]*)|(?P<narrow>[.!?…]+)",
    re.VERBOSE | re.DOTALL,
)
# What still belongs to the sentence after its mark: note marks and citation numbers.
_TRAIL = re.compile(r"(?:\[\^[^\]\s]+\]|\[[A-Za-z]{0,3}\d{1,3}\]_?|</\w+>)+")
_NEXT_CAPITAL = re.compile(
    rf"\s+[*_~]{{0,3}}[{re.escape(_OPENERS)}\"'‘]*[*_~]{{0,3}}"
    rf"(?:[{HAN}]|(?P<word>\w[\w'’-]*)|[`$\\])"
)
_HAN_NEXT = re.compile(rf"[*_]{{0,3}}[{re.escape(_OPENERS)}]?[{HAN}]")
# A wide mark followed by one of these does not end anything: 「為什麼？」、 / ？——
_CONTINUES = re.compile(r"\s*[，、；：,;:。—─－」』》）)】]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ABBREVIATIONS = _words(
    "e.g i.e cf vs viz al ca approx resp fig figs eq eqs eqn sec secs ch chap no nos vol vols pp p ed eds dept dr mr "
    "mrs ms prof st mt gen col sgt capt lt rev hon gov sen rep pres thm def defn prop lem cor ref refs art op cit ibid "
    "n.b ph.d m.sc b.sc v ver max min avg std est jan feb mar apr jun jul aug sep sept oct nov dec"
)
# Abbreviations that often end a sentence too: cut only before a word that commonly begins one.
_SOFT_ABBREVIATIONS = _words("etc inc ltd co corp jr sr u.s u.k u.n e.u a.m p.m a.d b.c d.c llc bros")
_STARTERS = _words(
    "the a an it its this that these those in on at we he she they you i if when however for but and or so then "
    "there here as to by with from our their his her such one some many most each every no not while although because "
    "since after before thus hence therefore moreover furthermore also both all any what which who how why let suppose"
)
_SPEECH = re.compile(
    rf"[，,]?\s*(?:[{HAN}]{{1,6}}?(?:說道|說|説|说|問道|問|问|寫道|写道|回答|表示|指出|喊道|道)(?=[。，：,:]|[{HAN}]|$)"
    r"|(?:[\w'’.-]+\s+){0,3}?(?:said|says|asked|asks|wrote|writes|replied|replies|answered|added|argued|argues|noted)\b)"
)

_MARKS = r"[\s*_>「“\"(（]*"
_LABEL_WORDS = (
    r"theorem|thm|lemma|corollary|proposition|prop|definition|def|axiom|postulate|conjecture|hypothesis|claim|remark|"
    r"example|question|problem|principle|observation|proof|note|fig|figure|table|step|case|chapter|section|part|phase|"
    r"定理|引理|推論|推论|命題|命题|定義|定义|公理|公設|公设|猜想|假說|假说|假設|假设|主張|主张|備註|注|例|問題|问题|原理|原則|原则|"
    r"觀察|观察|證明|证明|圖|图|表|步驟|步骤|階段|阶段"
)
_LABEL_ONLY = re.compile(
    rf"{_MARKS}(?:(?:{_LABEL_WORDS})\s*[\w.\-–]{{0,12}}\s*(?:[(（][^()（）]{{0,120}}[)）])?|[A-Z]{{1,8}}-?\d[\w.\-]*|"
    r"\d{1,3}|[ivxIVX]{1,5}|[A-Za-z])[\s*_.:：。)）]*\Z",
    re.IGNORECASE,
)
_BOLD_ONLY = re.compile(r"\s*\*\*[^*\n]{1,60}[.:：]\*\*\s*\Z")

# Pieces that cannot stand alone. "；" binds closer than a full stop, so after it more words pull the piece back.
_AFTER_SEMICOLON = re.compile(
    rf"{_MARKS}(?:但|然而|惟|不過|不过|除非|除了|否則|否则|不然|只要|而是|而非|並非|并非|不是|則|则|那麼|那么|but\b|except|unless|"
    r"provided|otherwise|then\b|if\b|when\b)",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(rf"{_MARKS}(?:則|则|(?:那麼|那么|就|便)|then\b)", re.IGNORECASE)
_PREMISE = re.compile(
    rf"{_MARKS}(?:若|如果|當|当|假設|假设|假如|假定|倘若|設|设|令|給定|给定|即使|除非|只要|if\b|when\b|unless\b|provided\b|"
    r"suppose\b|assume\b|let\b|given\b)",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(rf"{_MARKS}(?:否則|否则|不然|otherwise\b)", re.IGNORECASE)
_BARE_CONDITION = re.compile(
    rf"{_MARKS}(?:若|如果|當|当|假設|假设|假如|倘若|除非|除了|只要|僅當|仅当|唯有|惟有|前提是|條件是|条件是|"
    r"if\b|only if\b|only when\b|when\b|unless\b|except\b|excepting\b|provided\b|assuming\b|save\b|as long as\b)",
    re.IGNORECASE,
)
_BARE_MAIN = re.compile(
    r"[，,]|則|则|那麼|那么|就|便|才|否則|否则|\bthen\b|^\s*(?:if|when)(?:\s+\S+){9}", re.IGNORECASE
)
_ASIDE = re.compile(
    rf"{_MARKS}(?:proof|note|remark|example|證明|证明|備註|备注|註|注|例)[\s*_.:：。]*\Z", re.IGNORECASE
)
_BARE_EXCEPTION = re.compile(
    rf"{_MARKS}(?:(?:但|然而|惟|不過|不过)[^。！？；]{{0,40}}(?:除外|例外|不在此限|不適用|不适用|不計|不计|者不算)|"
    r"(?:但|然而|惟|不過|不过)(?:不包括|不包含|不含|不適用|不适用|僅限|仅限|只限|限於|限于|前提是|條件是|条件是|僅當|仅当)|"
    r"(?:but|and|though)\s+(?:not|only|never)\b|not\s+(?:if|when|for|in|on|at|unless|all|every|necessarily)\b)",
    re.IGNORECASE,
)


def opaque(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Ranges of ``text[start:end]`` that are code, math, links, addresses or tags: no boundary, no reference inside."""
    return [m.span() for m in _TOKEN.finditer(text, start, end) if m.lastgroup == "opaque" or m["opaque"]]


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Sentence]:
    """The statements of one paragraph or list item: ``text[start:end]`` has no block structure of its own."""
    end = len(text) if end is None else end
    pieces: list[Sentence] = []
    last = Sentence(start, start)  # the piece before as it was cut
    begin = start
    for cut in [*_cuts(text, start, end), end]:
        piece = _trim(text, begin, cut)
        begin = cut
        if piece.end <= piece.start:
            continue
        if pieces and (
            not _has_words(text, piece) or _belongs_to_previous(text, pieces[-1], piece, last, first=len(pieces) == 1)
        ):
            pieces[-1] = Sentence(pieces[-1].start, piece.end)
        else:
            pieces.append(piece)
        last = piece
    return pieces


def _trim(text: str, start: int, end: int) -> Sentence:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return Sentence(start + left, start + max(left, len(piece.rstrip())))


def _has_words(text: str, piece: Sentence) -> bool:
    return any(c.isalnum() for c in text[piece.start : piece.end])


def _cuts(text: str, start: int, end: int) -> list[int]:
    """Offsets after which a new piece begins, strictly inside ``start:end``."""
    tokens = list(_TOKEN.finditer(text, start, end))
    partner = _pairs(text, tokens)
    cuts: list[int] = []
    depth_until = -1  # index of the token that closes the outermost open bracket
    outer = -1
    bold: set[str] = set()
    index = 0
    while index < len(tokens):
        token = tokens[index]
        kind = token.lastgroup if token.lastgroup != "ticks" else "opaque"
        inside = index <= depth_until
        if kind == "bold":
            bold ^= {token[0]}
        elif kind in ("open", "quote") and index in partner and partner[index] > index and not inside:
            depth_until, outer = partner[index], index
        elif kind in ("wide", "narrow"):
            at = token.end()
            closing = index
            while closing + 1 < len(tokens) and tokens[closing + 1].start() == at:
                follower = tokens[closing + 1]
                closes = (partner.get(closing + 1, closing + 2) <= closing) or (
                    follower.lastgroup == "bold" and follower[0] in bold
                )
                if not closes:
                    break
                if follower.lastgroup == "bold":
                    bold ^= {follower[0]}
                closing, at = closing + 1, follower.end()
            still_inside = inside and closing < depth_until
            trail = _TRAIL.match(text, at, end)
            if not still_inside:
                quoted = tokens[outer] if inside else None
                after = trail.end() if trail else at
                begin = cuts[-1] if cuts else start
                if after < end and _is_boundary(text, begin, token, after, end, quoted):
                    cuts.append(after)
            index = closing
        index += 1
    return cuts


def _pairs(text: str, tokens: list[re.Match[str]]) -> dict[int, int]:
    """Index of each bracket or quote token -> index of its partner; brackets without one are left out."""
    partner: dict[int, int] = {}
    stack: list[tuple[str, int]] = []
    for index, token in enumerate(tokens):
        mark = token[0]
        if token.lastgroup == "open":
            stack.append((mark, index))
        elif token.lastgroup == "close" or (token.lastgroup == "quote" and any(m == '"' for m, _ in stack)):
            want = _PARTNER.get(mark, '"')
            for depth in range(len(stack) - 1, -1, -1):
                if stack[depth][0] == want:
                    partner[stack[depth][1]], partner[index] = index, stack[depth][1]
                    del stack[depth:]
                    break
        elif token.lastgroup == "quote" and not (token.start() and text[token.start() - 1].isdigit()):
            stack.append((mark, index))
    return partner


def _is_boundary(
    text: str, begin: int, token: re.Match[str], after: int, end: int, quoted: re.Match[str] | None
) -> bool:
    """Whether the mark ``token`` (with what trails it up to ``after``) ends a piece that began at ``begin``.

    ``quoted`` is the opening bracket if the mark is the last thing inside brackets or quotation marks.
    """
    wide = token.lastgroup == "wide"
    if quoted is not None:
        led_in = text[begin : quoted.start()].rstrip(" *_")
        is_quote = quoted[0] in '「『“"'
        if _SPEECH.match(text, after + len(text[after:end]) - len(text[after:end].lstrip()), end):
            return False
        if led_in and not (is_quote and led_in[-1] in "：:，,—"):
            return False  # a quotation or aside inside a sentence that goes on
        if not wide:
            return _narrow(text, begin, token, after, end)
        # Chinese written on without a mark after the quotation goes on with the sentence: 「為什麼？」這個問題
        return text[after].isspace() and not _CONTINUES.match(text, after, end)
    if wide:
        return "；" in token[0] or not _CONTINUES.match(text, after, end)
    return _narrow(text, begin, token, after, end)


def _narrow(text: str, begin: int, token: re.Match[str], after: int, end: int) -> bool:
    mark = token[0]
    if mark[0] in "!?" and _HAN_NEXT.match(text, after, end):
        return True
    following = _NEXT_CAPITAL.match(text, after, end)
    if not following:
        return False
    word = following["word"]
    if word is not None and not word[0].isupper():
        return False
    if mark != ".":
        return True
    before = re.search(r"[^\s(（「『《\[“\"*_,;/–—-]*\Z", text[max(begin, token.start() - 24) : token.start()])
    last = before[0] if before else ""
    if last.casefold().rstrip(".") in _ABBREVIATIONS:
        return False
    initial = len(last) == 1 and last.isalpha() and last.isupper()
    dotted = re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", last) is not None
    if initial or dotted or last.casefold() in _SOFT_ABBREVIATIONS:
        return word is not None and word.casefold() in _STARTERS
    # An enumerator at the head is part of what it numbers.
    return not (last.isdigit() and len(last) <= 3 and text[begin : token.start()].strip(" *_\t\r\n") == last)


def _belongs_to_previous(text: str, previous: Sentence, piece: Sentence, last: Sentence, *, first: bool) -> bool:
    """Whether ``piece`` cannot stand without ``previous``: a bare condition or exception, a consequence, or the claim
    that a label introduces. ``last`` is the end of ``previous`` that was cut off last."""
    before = text[previous.start : previous.end]
    here = text[piece.start : piece.end]
    if first and len(before) <= 160 and (_LABEL_ONLY.match(before) or _BOLD_ONLY.match(before)):
        return True
    if len(before) <= 40 and _ASIDE.match(before):
        return True
    head = here[:120]
    if before[-1] in "；;" and _AFTER_SEMICOLON.match(head):
        return True
    if _CONSEQUENCE.match(head):
        return before[-1] in "；;" or bool(_PREMISE.match(text, last.start, last.end))
    if _OTHERWISE.match(head) or _BARE_EXCEPTION.match(head):
        return True
    if here[-1] in "；;":
        return False  # what it conditions follows
    return bool(len(here) <= 160 and _BARE_CONDITION.match(head) and not _BARE_MAIN.search(here))


_LINE = re.compile(r"[^\n]*\n?")
_ITEM = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+•]|\d{1,3}[.)、]|[（(]\d{1,2}[)）]|[（(][a-z][)）])[ \t]+(?=\S)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_RULE = re.compile(r"[ \t]*(?:[-*_=~^][ \t]*){3,}\s*\Z")
_FENCE = re.compile(r"[ \t]*(?:>[ \t]?)*(```+|~~~+)")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*\r?\n?\Z")
_DIVIDER = re.compile(r"[ \t]*\|?[ \t:|-]*-{2,}[ \t:|-]*\r?\n?\Z")


def statements(text: str, start: int = 0, end: int | None = None) -> list[Sentence]:
    """The statements of any raw text (plain, Markdown or reStructuredText prose).

    Blank lines, headings, list items, table rows and rules bound paragraphs; fenced code and ``$$`` blocks stay
    whole. Markers (``- ``, ``## ``, ``> ``) are not part of a statement.
    """
    end = len(text) if end is None else end
    found: list[Sentence] = []
    begin = -1  # start of the open paragraph
    fence, fence_start = "", 0

    def flush(at: int) -> None:
        nonlocal begin
        if begin >= 0:
            found.extend(sentences(text, begin, at))
        begin = -1

    for match in _LINE.finditer(text, start, end):
        line, at = match[0], match.start()
        if not line:
            continue
        if fence:
            if line.strip(" \t>\r\n").startswith(fence) or (fence == "$$" and line.rstrip().endswith("$$")):
                block = _trim(text, fence_start, match.end())
                if fence == "$$" and found and _leads(text, found[-1], block):
                    found[-1] = Sentence(found[-1].start, block.end)
                else:
                    found.append(block)
                fence = ""
            continue
        opening = _FENCE.match(line)
        stripped = line.strip(" \t>\r\n")
        if opening or (stripped.startswith("$$") and stripped.count("$$") == 1):
            flush(at)
            fence, fence_start = (opening[1] if opening else "$$"), at
        elif not stripped or _RULE.match(line) or _DIVIDER.match(line):
            flush(at)
        elif _ROW.match(line):
            flush(at)
            found.append(_trim(text, at, match.end()))
        elif marker := (_HEADING.match(line) or _ITEM.match(line)):
            flush(at)
            begin = at + marker.end()
            if _HEADING.match(line):
                found.append(_trim(text, begin, match.end()))
                begin = -1
        elif begin < 0:
            begin = at + len(line) - len(line.lstrip(" \t>"))
    if fence:
        found.append(_trim(text, fence_start, end))
    flush(end)
    return found


def _leads(text: str, sentence: Sentence, formula: Sentence) -> bool:
    """Whether a display formula completes the sentence before it: nothing between them, no mark that ends it."""
    between = text[sentence.end : formula.start]
    return not between.strip(" \t\r\n>*_") and is_open(text[sentence.start : sentence.end])


def is_open(sentence: str) -> bool:
    """Whether a sentence goes on in what is displayed below it: it ends without a mark that would end it."""
    return not re.search(r"[。！？；.!?;」』”\"）)|][\s*_]*\Z", sentence) and not sentence.lstrip().startswith("#")
