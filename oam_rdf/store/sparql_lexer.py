"""Where the tokens of a SPARQL text begin and end, read the way the engine's parser reads them.

Oxigraph's parser has no lexer of its own: it tries the grammar rules one after the other at each character, so that
``trueSERVICE<x>{}`` and ``1FROM<g>`` are legal, ``?a<?b#>`` is a comparison and a comment in one place and a variable
and an IRI in another, and ``'''x'`` is an empty string beside a string when no closing ``'''`` follows. A lexer that
decides each of these once can be talked past. This one returns the reading that well-formed queries have and, where the
same characters have another one, those readings too; :mod:`oam_rdf.store.sparql_gate` walks all of them.

Grammar: SPARQL 1.1 §19.8 (terminals).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

SKIP, WORD, NAME, VARIABLE, IRI, STRING, OTHER = "skip", "word", "name", "variable", "iri", "string", "other"

BASE_CHARS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
NAME_CHARS = BASE_CHARS + "_0-9\u00b7\u0300-\u036f\u203f-\u2040\\-"
_HEX = "[0-9A-Fa-f]"
_SCALAR = rf"u(?![dD][89a-fA-F]){_HEX}{{4}}|U00(?!00[dD][89a-fA-F])(?:0{_HEX}|10){_HEX}{{4}}"
ESCAPE = rf"""\\(?:[tbnrf\\"']|{_SCALAR})"""

_PLX = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL_CHAR = rf"(?:[{NAME_CHARS}:]|{_PLX})"
# One group after dots, as the engine reads it; the grammar allows any number.
_LOCAL = rf"(?:[{BASE_CHARS}_0-9:]|{_PLX}){_LOCAL_CHAR}*+(?:\.++{_LOCAL_CHAR}++)?"
# A prefix longer than 255 characters is read as words instead: nobody writes one, and the bound keeps the scan linear.
_TOKEN = re.compile(
    rf"""(?P<skip>[ \t\r\n]+)
    |(?P<variable>[?$][{BASE_CHARS}_0-9][{BASE_CHARS}_0-9\u00b7\u0300-\u036f\u203f-\u2040]*+)
    |(?P<blank>_:[{BASE_CHARS}_0-9](?:[{NAME_CHARS}]|\.+(?=[{NAME_CHARS}]))*+)
    |(?P<name>(?P<prefix>(?:[{BASE_CHARS}][{NAME_CHARS}.]{{0,254}}+)?):(?P<local>(?:{_LOCAL})?))
    |(?P<tag>@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[A-Za-z]+)?)
    |(?P<digits>[0-9]+)
    |(?P<word>[{BASE_CHARS}_][{NAME_CHARS}]*+)""",
    re.VERBOSE,
)
_IRI = re.compile(rf"""<((?:[^<>"{{}}|^`\\\x00-\x20]|\\(?:{_SCALAR}))*+)>""")
_STRING = {
    quote * width: (
        re.compile(rf"{quote * 3}(?:{quote}{{0,2}}(?:[^{quote}\\]|{ESCAPE}))*+{quote * 3}")
        if width == 3
        else re.compile(rf"{quote}(?:[^{quote}\\\n\r]|{ESCAPE})*+{quote}")
    )
    for quote in "'\""
    for width in (1, 3)
}
# The same with any character after a backslash: what a text with a bad escape may have meant.
_LOOSE = {
    quote * width: re.compile(
        rf"(?s){quote * 3}(?:{quote}{{0,2}}(?:[^{quote}\\]|\\.))*+{quote * 3}"
        if width == 3
        else rf"{quote}(?:[^{quote}\\\n\r]|\\.)*+{quote}"
    )
    for quote in "'\""
    for width in (1, 3)
}


@dataclass(frozen=True, slots=True)
class Token:
    """Characters ``start:end``. ``value``: a word, the prefix of a name, the inside of an IRI, or the character itself;
    ``local`` is the rest of a name. ``elsewhere``: offsets where other readings of the same characters go on."""

    kind: str
    start: int
    end: int
    value: str = ""
    local: str = ""
    elsewhere: tuple[int, ...] = ()


class Lexer:
    """Tokens of one text, by offset (0-based, in code points)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends = [match.start() for match in re.finditer(r"[\n\r]", text)]

    def token(self, at: int) -> Token:
        """The token that begins at ``at`` (``0 <= at < len(text)``). Never fails: an unknown character is OTHER."""
        character = self.text[at]
        if character == "#":
            return Token(SKIP, at, self._line_end(at))
        if character == "<":
            return self._iri(at)
        if character in "'\"":
            return self._string(at)
        match = _TOKEN.match(self.text, at)
        if match is None:
            return Token(OTHER, at, at + 1, character)
        kind = match.lastgroup
        if kind == "skip":
            return Token(SKIP, at, match.end())
        if match["word"]:
            return Token(WORD, at, match.end(), match["word"])
        if match["name"]:
            # Where prefix and local part make no valid IRI together, the parser takes "a:" alone and reads on behind
            # it; only another name there can bring it to a different end.
            nested = (match.start("local"),) if ":" in match["local"] else ()
            return Token(NAME, at, match.end(), match["prefix"], match["local"], nested)
        return Token(VARIABLE if kind == "variable" else OTHER, at, match.end())

    def after_space(self, at: int) -> int:
        """The offset of the first character at or after ``at`` that is neither white space nor comment."""
        while at < len(self.text) and (self.text[at] in " \t\r\n" or self.text[at] == "#"):
            at = self.token(at).end
        return at

    def _line_end(self, at: int) -> int:
        index = bisect_left(self._ends, at)
        return self._ends[index] if index < len(self._ends) else len(self.text)

    def _iri(self, at: int) -> Token:
        match = _IRI.match(self.text, at)
        if match is None:
            return Token(OTHER, at, at + 1, "<")
        inside = match[1]
        # Read as a comparison, the same characters end at the same ">" unless a quote or a comment starts among them.
        # "//" is never legal in an expression, so the usual IRI has one reading only.
        before = re.match(r"[^#']*", inside)
        ambiguous = before is not None and before.end() < len(inside) and "//" not in before[0]
        return Token(IRI, at, match.end(), inside, elsewhere=(at + 1,) if ambiguous else ())

    def _string(self, at: int) -> Token:
        quote = self.text[at]
        widths = (3, 1) if self.text.startswith(quote * 3, at) else (1,)
        elsewhere: list[int] = []
        for width in widths:
            match = _STRING[quote * width].match(self.text, at)
            if match is not None:
                return Token(STRING, at, match.end(), elsewhere=tuple(elsewhere))
            loose = _LOOSE[quote * width].match(self.text, at)
            if loose is not None:
                elsewhere.append(loose.end())
        return Token(OTHER, at, at + 1, quote, elsewhere=tuple(elsewhere))
