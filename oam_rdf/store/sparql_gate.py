"""What a query from outside may never ask for (architecture.md, "SPARQL from outside").

The network namespace of the worker is the wall; this gate is what stands where the kernel offers none, and what turns
an attempt into an error that says where it is. Strings, IRIs, comments, variables and prefixed names may contain any
word; ``SERVICE`` as a keyword is found in any case, glued to its neighbours or written with codepoint escapes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from oam_rdf.errors import Forbidden
from oam_rdf.store.sparql_lexer import IRI, NAME, OTHER, SKIP, VARIABLE, WORD, Lexer, Token

FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
UPDATES = frozenset({"INSERT", "DELETE", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"})
FETCHES = ("SERVICE", "LOAD")

_CODEPOINT = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U(00(?:0[0-9A-Fa-f]|10)[0-9A-Fa-f]{4})")
_NAMES_A_GRAPH = frozenset({"GRAPH", "FROM", "NAMED", "DESCRIBE"})


@dataclass(frozen=True, slots=True)
class QueryShape:
    """What the head of a query says: its form (one of :data:`FORMS`, "" if none was found), whether it chooses its own
    dataset with FROM, and the graphs named there as far as they are absolute IRIs or declared prefixes."""

    form: str
    has_dataset: bool
    graphs: tuple[str, ...]


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1, of a 0-based offset in code points; lines end at LF, as Oxigraph counts them."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class QueryGate:
    """The rule of the query endpoint: no SERVICE, no LOAD, no update, no FROM that names a file."""

    def check(self, query: str, *, name: str = "query") -> QueryShape:
        """Walk every reading of ``query`` and describe its head.

        ``name`` stands before line and column in the error. Raises Forbidden. A text that is not SPARQL passes: the
        parser will say what is wrong with it. Linear in the length of the text.
        """
        shape = _Walk(query, name).run()
        escaped = _decode(query)
        if escaped is not None:
            decoded, offsets = escaped
            _Walk(decoded, name, query, offsets).run()
        return shape


class _Walk:
    """One pass over one text; ``offsets`` maps its characters to those of the ``source`` it was decoded from."""

    def __init__(self, text: str, name: str, source: str = "", offsets: list[int] | None = None) -> None:
        self.lexer = Lexer(text)
        self.name = name
        self.source = source or text
        self.offsets = offsets

    def run(self) -> QueryShape:
        seen: set[tuple[int, bool]] = set()
        head = _Head()
        pending = self._follow(0, seen, head)
        while pending:
            pending += self._follow(pending.pop(), seen, None)
        return head.shape()

    def _follow(self, at: int, seen: set[tuple[int, bool]], head: _Head | None) -> list[int]:
        """Walk one reading from ``at`` to the end or to where another walk has been; the other readings met."""
        others: list[int] = []
        before = ""  # the word just before, upper case
        while at < len(self.lexer.text):
            key = (at, before in _NAMES_A_GRAPH)
            if key in seen:
                break
            seen.add(key)
            token = self.lexer.token(at)
            at = token.end
            others += token.elsewhere
            if token.kind == SKIP:
                continue
            self._judge(token, before)
            if head is not None:
                self._head(head, token)
            before = token.value.upper() if token.kind == WORD else ""
        return others

    def _judge(self, token: Token, before: str) -> None:
        if token.kind == WORD:
            word = token.value.upper()
            for keyword in FETCHES:
                if keyword in word:
                    self._refuse(token.start + word.index(keyword), keyword, "nothing is fetched for a query")
            if word in UPDATES:
                self._refuse(token.start, word, "this is a query endpoint: it changes nothing")
        elif token.kind == NAME and before not in _NAMES_A_GRAPH:
            # "SERVICE:a {" and "SERVICEex:a {" are calls to the parser whatever prefixes are declared, and so is
            # "a:1SERVICE<…> {" where the prefix a: ends in a port number, so that a:1SERVICE is no valid IRI.
            name = self.lexer.text[token.start : token.end]
            for match in re.finditer("SERVICE", name, re.IGNORECASE):
                if self._calls(token.start + match.end()):
                    hint = "a name like this in front of { can be read as a service call: rename it or add a dot"
                    self._refuse(token.start + match.start(), "SERVICE", hint)

    def _calls(self, at: int) -> bool:
        """Do ``[SILENT] (variable | IRI) {`` follow?"""
        for _ in range(2):
            at = self.lexer.after_space(at)
            if at >= len(self.lexer.text):
                return False
            token = self.lexer.token(at)
            at = token.end
            if token.kind in (VARIABLE, IRI, NAME):
                following = self.lexer.after_space(at)
                return self.lexer.text[following : following + 1] == "{"
            if token.kind != WORD or token.value.upper() != "SILENT":
                return False
        return False

    def _head(self, head: _Head, token: Token) -> None:
        graph = head.take(token)
        if graph is not None and graph.lower().startswith("file:"):
            self._refuse(token.start, "FROM <file:…>", "a query reads graphs of the knowledge base, never files")

    def _refuse(self, offset: int, what: str, hint: str) -> None:
        original = self.offsets[offset] if self.offsets is not None else offset
        line, column = position(self.source, original)
        raise Forbidden(f"{what} is not allowed here", place=f"{self.name}:{line}:{column}", hint=hint)


class _Head:
    """Reads prologue, form and dataset clauses, up to the first brace."""

    def __init__(self) -> None:
        self.form = ""
        self.has_dataset = False
        self.graphs: list[str] = []
        self.prefixes: dict[str, str] = {}
        self._open = True
        self._prefix: str | None = None  # declared, its IRI not read yet
        self._word = ""

    def take(self, token: Token) -> str | None:
        """Read on; the graph IRI if this token names one in a FROM clause."""
        if not self._open:
            return None
        word, self._word = self._word, ""
        if token.kind == OTHER and token.value == "{":
            self._open = False
        elif token.kind == WORD:
            self._take_word(token.value.upper(), word)
        elif token.kind == NAME and word == "PREFIX":
            self._prefix = token.value
        elif token.kind == NAME:
            glued = "FROM" in token.value.upper() and token.value not in self.prefixes
            self.has_dataset |= glued
            if word in ("FROM", "NAMED") and token.value in self.prefixes:
                return self._graph(self.prefixes[token.value] + token.local)
        elif token.kind == IRI and self._prefix is not None:
            self.prefixes[self._prefix] = _unescape(token.value)
            self._prefix = None
        elif token.kind == IRI and word in ("FROM", "NAMED"):
            return self._graph(_unescape(token.value))
        return None

    def _take_word(self, word: str, before: str) -> None:
        if not self.form:
            self.form = next((form for form in FORMS if word.startswith(form)), "")
        if "FROM" in word:
            self.has_dataset = True
            word = "FROM" if word.endswith("FROM") else "NAMED"
        self._word = word if word != "NAMED" or before in ("FROM", "") else ""

    def _graph(self, iri: str) -> str | None:
        if ":" not in iri:
            return None  # relative: the parser resolves or refuses it
        self.graphs.append(iri)
        return iri

    def shape(self) -> QueryShape:
        return QueryShape(self.form, self.has_dataset, tuple(self.graphs))


def _unescape(iri: str) -> str:
    return _CODEPOINT.sub(lambda match: chr(int(match[1] or match[2], 16)), iri) if "\\" in iri else iri


def _decode(text: str) -> tuple[str, list[int]] | None:
    """The text as an engine sees it that resolves codepoint escapes before parsing (SPARQL 1.1 §19.2), with the source
    offset of every character; None if there is no escape."""
    parts: list[str] = []
    offsets: list[int] = []
    done = 0
    for match in _CODEPOINT.finditer(text):
        parts += text[done : match.start()], chr(int(match[1] or match[2], 16))
        offsets += range(done, match.start() + 1)
        done = match.end()
    if not offsets:
        return None
    parts.append(text[done:])
    offsets += range(done, len(text) + 1)
    return "".join(parts), offsets
