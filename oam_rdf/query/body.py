"""Which characters of a raw text say something: not its header, not lines that describe what stands above them.

Readers meet an old Original without the parser that made it an object, so the few shapes of a header are known here: YAML
front matter, RFC-822 and docinfo lines at the very top, bold ``**name：** value`` lines below the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from oam_rdf.ontology import Ontology
from oam_rdf.text.statements import Sentence, statements

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n.*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*:(?:[ \t]|\r?$)|:[A-Za-z][\w -]*:(?:[ \t]|\r?$))")
_BOLD = re.compile(
    r"\s*(?:>\s*)?\*\*\s*[^*：:\n]{1,24}?\s*(?:[：:]\s*\*\*|\*\*\s*[：:](?!:)|[：:]\s*[^*\n]+?\*\*\s*\\?\s*\Z)"
)
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,2}[ \t]|[=\-~^*]{3,}\s*\Z)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# ``- key:: value`` and ``- relation [[Target]]``, as they describe the statement above them.
_PAIR = re.compile(r"\s*(?:[-*+]\s+)?\**[^\W\d_][\w -]{0,39}?\**::\s+\S")
_RELATION = re.compile(
    r"\s*(?:[-*+]\s+)?\**(?P<name>[A-Za-z][A-Za-z_-]{1,30})\**:?\s+"
    r"!?\[\[[^\]\n]+\]\](?:\s*[,，、]\s*!?\[\[[^\]\n]+\]\])*\s*(?:[(（][\s\d.]+[)）])?\s*[.。]?\s*\Z"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def describes(line: str) -> bool:
    """Whether a line says something about the statement or document above it instead of the world."""
    if _PAIR.match(line):
        return True
    match = _RELATION.match(line)
    name = _HUMP.sub("_", match["name"]).lower().replace("-", "_") if match else ""
    return "_" in name or name in Ontology.load().relations  # "- See [[X]]" is prose


def header(text: str) -> list[tuple[int, int]]:
    """Ranges of the header's lines, in order; empty where there is none."""
    front = _FRONT.match(text)
    at = front.end() if front else _fields(text)
    found = [(0, at)] if at else []
    for match in _LINE.finditer(text, at):
        line = match[0]
        if not line.strip() or _TITLE.match(line):
            continue
        if not _BOLD.match(line):
            break
        found.append(match.span())
    return found


def _fields(text: str) -> int:
    """Where the text begins after ``Name: value`` lines at the very top; 0 if fewer than two stand there."""
    number = 0
    for match in _LINE.finditer(text):
        line = match[0].lstrip("\ufeff")
        if _FIELD.match(line):
            number += 1
        elif not (number and line[:1] in " \t" and line.strip()):
            return match.start() if number > 1 else 0
    return len(text) if number > 1 else 0


def said(text: str) -> Iterator[Sentence]:
    """The statements of a whole text, without its header and without lines that only describe."""
    out = header(text)
    at = 0
    for low, high in [*out, (len(text), len(text))]:
        for span in statements(text, at, low):
            if not describes(text[text.rfind("\n", 0, span.start) + 1 : span.end]):
                yield span
        at = high
