"""The shadow: a text of equal length that block parsers read in place of the Original.

Whatever a parser would stumble over is overwritten, character for character, so that every offset stays true: a BOM
and the CR of CRLF become spaces, and a text whose line breaks were lost gets them back in the place of spaces
(segmentation.md).
"""

from __future__ import annotations

import re

from oam_rdf.text.statements import HAN

# Line separators that only docutils honours: they must not shift its line numbers against ours.
_ODD_BREAKS = str.maketrans(dict.fromkeys("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\ufeff", " "))
_LOST_LENGTH = 1500  # a line shorter than this has lost nothing
_HEADING = re.compile(r"(?<=\s)#{1,6}(?= \S)")
_VERBATIM = re.compile(r"```.*?```|\$\$.*?\$\$|`[^`\n]+`|(?<!\$)\$(?!\s)[^$\n]{1,200}?(?<!\s)\$(?!\d)", re.DOTALL)
_FENCE = re.compile(r"(?:(?<=\s)|\A)```(?P<info>[\w+-]*)(?P<gap> )(?P<body>(?:(?!```).)*?)(?P<close> ```)(?=\s|\Z)")
_MATH = re.compile(r"(?:(?<=\s)|\A)\$\$ (?P<body>(?:(?!\$\$|```| #{1,6} ).){1,3000}) \$\$(?=\s|\Z)")
_BULLET = re.compile(r"(?<=\s)[-*](?= [^\s-])")
_NUMBER = re.compile(r"(?<=\s)(\d{1,3})\.(?= \S)")
# A bold field name; after a list marker it belongs to the item.
_FIELD = re.compile(rf"(?<=\s)(?<!\d\. )(?<![-*>] )\*\*[\w{HAN} ]{{1,16}}(?:[：:]\*\*|\*\*[：:])")
_RULE = re.compile(r"(?<=\s)-{3,}(?=\s|\Z)")
_QUOTE = re.compile(r"(?<=\s)>(?= \S)")
_ROW = re.compile(r"(?<=\|) (?=\|)")
_SENTENCE_MARK = re.compile(r"[。！？；：]")


def shadow(text: str) -> str:
    """``text`` for a block parser: same length, ``\\n`` as the only line break, lost line breaks put back."""
    out = text.translate(_ODD_BREAKS)
    if "\r" in out:
        out = out.replace("\r\n", " \n").replace("\r", "\n")
    if len(out) > _LOST_LENGTH:
        out = "\n".join(_restored(line) if _lost_its_breaks(line) else line for line in out.split("\n"))
    return out


def blank(text: str, start: int, end: int) -> str:
    """``text`` with the characters ``start:end`` overwritten by spaces, line breaks kept."""
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def _lost_its_breaks(line: str) -> bool:
    return len(line) > _LOST_LENGTH and len(_HEADING.findall(line)) >= 3


def _restored(line: str) -> str:
    """One line that holds a whole Markdown text: line breaks in the place of the spaces where they must have been."""
    chars = list(line)
    kept: list[tuple[int, int]] = []  # verbatim stretches, where marks mean nothing

    def cut(at: int) -> None:
        """A line break instead of the white space just before ``at``."""
        if 0 < at <= len(chars) and chars[at - 1] in " \t":
            chars[at - 1] = "\n"

    for fence in _FENCE.finditer(line):
        cut(fence.start())
        chars[fence.start("gap")] = "\n"
        chars[fence.start("close")] = "\n"
        cut(fence.end() + 1)
        kept.append(fence.span())
    masked = _masked(line, kept)
    math = list(_MATH.finditer(masked))
    kept += [m.span() for m in math]
    for found in math:
        cut(found.start())
        chars[found.start() + 2] = chars[found.end() - 3] = "\n"
        cut(found.end() + 1)
    for stray in re.finditer(r"\$\$|```", _masked(line, kept)):  # its partner is lost: it opens nothing
        chars[stray.start() : stray.end()] = " " * (stray.end() - stray.start())
    masked = _masked(line, kept)
    masked = _VERBATIM.sub(lambda m: "\x00" * len(m[0]), masked)
    marks = [*_FIELD.finditer(masked), *_RULE.finditer(masked), *_QUOTE.finditer(masked), *_BULLET.finditer(masked)]
    headings = list(_HEADING.finditer(masked))
    for mark in [*marks, *headings, *_numbered(masked)]:
        cut(mark.start())
    for rule in _RULE.finditer(masked):
        cut(rule.end() + 1)
    if re.search(r"\| ?:?-{2,}", masked):
        first = masked.find("|")
        if first > 0:
            cut(first)
        for gap in _ROW.finditer(masked):
            chars[gap.start()] = "\n"
    for heading in headings:
        _end_heading(chars, line, heading.end())
    return "".join(chars)


def _masked(line: str, ranges: list[tuple[int, int]]) -> str:
    out = line
    for start, end in ranges:
        out = out[:start] + "\x00" * (end - start) + out[end:]
    return out


def _numbered(masked: str) -> list[re.Match[str]]:
    """Numbers that count up from 1: list markers, unlike ``Vol. 3. Springer``."""
    found: list[re.Match[str]] = []
    expected = 1
    for match in _NUMBER.finditer(masked):
        if masked[: match.start()].rstrip().endswith("#"):
            expected = 1  # a numbered heading
            continue
        number = int(match[1])
        if number == 1 or number == expected:
            found.append(match)
            expected = number + 1
    return found


def _end_heading(chars: list[str], line: str, start: int) -> None:
    """Puts the line break after a heading whose text runs on into the paragraph.

    A space between two Han characters is a lost break, for Chinese is written without; else the space after at least
    four Han characters; else the first space before a Han character, if a sentence follows.
    """
    stop = start
    while stop < len(chars) and chars[stop] != "\n":
        stop += 1
    if not _SENTENCE_MARK.search(line, start + 1, stop) and stop - start < 60:
        return
    prefix = re.compile(r"\s*(?:[\d.]+|[A-Z]\.|附錄\s*\w|Phase \d+：)?\s*").match(line, start, stop)
    begin = prefix.end() if prefix else start
    spaces = [i for i in range(begin, stop) if line[i] == " "]
    han = re.compile(f"[{HAN}]")

    def is_han(index: int) -> bool:
        return 0 <= index < stop and han.match(line[index]) is not None

    choices = (
        [i for i in spaces if is_han(i - 1) and is_han(i + 1)],
        [i for i in spaces if is_han(i - 1) and line[i + 1].isupper() and len(han.findall(line[begin:i])) >= 4],
        [i for i in spaces if is_han(i + 1)],
    )
    early = min((min(c) for c in choices[:2] if c), default=-1)
    at = early if early >= 0 else min(choices[2], default=-1)
    if at >= 0:
        chars[at] = "\n"
