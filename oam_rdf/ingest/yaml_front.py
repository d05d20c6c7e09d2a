"""YAML front matter and YAML files: scalars as the strings written, with lines; nothing expands, nothing is guessed.

The text is only composed (ruamel.yaml), never constructed, so ``no``, ``1.10``, ``012`` and dates stay what they are,
tags run no code, and an alias is counted each time it is used. ``<<`` merges as YAML 1.1 says: own keys come first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from oam_rdf.errors import ParseError
from oam_rdf.ingest.source import Source

MAX_CHARACTERS = 256_000
MAX_VALUES = 10_000
MAX_DEPTH = 20

_OPENING = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\r?\n|\r?\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"\s*[\w\"'][^\n]{0,80}?\s*[:：]")
# ``up: [[A]], [[B]]`` is no YAML, and ``up: [[A]]`` a list in a list: both mean links (hazard 32).
_LINK_VALUE = re.compile(r"^(\s*(?:-\s+)?(?:[^\s:#'\"\[][^:\n]*?:{1,2}\s+)?)((?:!?\[\[[^\]\n]+\]\](?:\s*,\s*)?)+)\s*$")
_FULL_WIDTH = re.compile(r"^(\s*(?:-\s+)?[^\s:#'\"\[{：「『《>-][^:：'\"\n]{0,40}?)：[ \t]*")


@dataclass(frozen=True, slots=True)
class Field:
    """One header field: its name and values as written. ``start:end`` is the text of a single value, -1 = unknown."""

    name: str
    values: tuple[str, ...]
    line: int
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``fields`` in order; ``end`` is the offset where the text begins (0 = there is no front matter)."""

    fields: tuple[Field, ...] = ()
    end: int = 0


def read(source: Source) -> FrontMatter:
    """The front matter of a Markdown file.

    :raises ParseError: for YAML that cannot be read, never-closed front matter, or one over the limits, with the line.
    """
    text = source.text
    opening = _OPENING.match(text)
    if not opening:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end())
    if not closing:
        first = text[opening.end() : opening.end() + 400].split("\n", 1)[0]
        if _KEY_LINE.match(first):
            raise ParseError("front matter is never closed", place=source.place(1), hint="end it with a line ---")
        return FrontMatter()
    body = text[opening.end() : closing.start()]
    if not any(_KEY_LINE.match(line) for line in body.split("\n")):
        if body.strip():
            return FrontMatter()  # a thematic break, and another one further on
        return FrontMatter((), closing.end())
    if len(body) > MAX_CHARACTERS:
        raise ParseError(
            f"front matter of {len(body):,} characters", place=source.place(1), hint=f"at most {MAX_CHARACTERS:,}"
        )
    return FrontMatter(tuple(_fields(source, body, opening.end())), closing.end())


def whole(source: Source) -> tuple[Field, ...]:
    """The fields of a file that is one YAML mapping.

    :raises ParseError: for YAML that cannot be read, several documents, anything but a mapping, or one over the limits.
    """
    text = source.text.removeprefix("\ufeff")
    if len(text) > MAX_CHARACTERS:
        hint = f"at most {MAX_CHARACTERS:,}"
        raise ParseError(f"YAML of {len(text):,} characters", place=source.place(1), hint=hint)
    return tuple(_fields(source, text, len(source.text) - len(text), first=1, what="YAML"))


def _fields(source: Source, body: str, offset: int, first: int = 2, what: str = "front matter") -> list[Field]:
    """Fields of the YAML ``body``, which stands at ``offset`` from the line ``first`` on."""
    prepared = _prepared(source, body, first, what)
    reader = YAML(typ="base", pure=True)
    reader.version = (1, 2)
    try:
        root = reader.compose(prepared)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = (mark.line if mark else 0) + first
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        hint = _hint(prepared, line - first, what)
        raise ParseError(f"broken YAML: {problem}", place=source.place(line), hint=hint) from error
    except (YAMLError, RecursionError) as error:
        raise ParseError("broken YAML", place=source.place(first), hint=f"check the {what}") from error
    if root is None:
        return []
    if not isinstance(root, MappingNode):
        hint = "one key: value a line"
        raise ParseError(f"{what} is no list of `key: value`", place=source.place(first), hint=hint)
    fields: list[Field] = []
    _Reader(source, offset if prepared == body else -1, first, what).mapping(root, "", fields, 0)
    return fields


def _prepared(source: Source, body: str, first: int, what: str) -> str:
    """The YAML with links quoted and full-width colons made half-width, line for line."""
    lines = body.replace("\r\n", "\n").split("\n") if "\r" in body else body.split("\n")
    block = False
    for index, line in enumerate(lines):
        if block and (not line.strip() or line.startswith((" ", "\t"))):
            continue  # inside a block scalar
        block = bool(re.search(r":\s*[|>][+-]?\d?\s*$", line))
        if "[[" in line and (link := _LINK_VALUE.match(line)):
            lines[index] = link[1] + '"' + link[2].strip().replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif "：" in line and ":" not in line.split("：", 1)[0] and (colon := _FULL_WIDTH.match(line)):
            lines[index] = f"{colon[1]}: {line[colon.end() :]}"
            message = f"a full-width colon in the {what}, read as `:`"
            source.issue("full-width-colon", message, line=index + first, hint="write `: `")
    return "\n".join(lines)


def _hint(body: str, index: int, what: str) -> str:
    lines = body.split("\n")
    for near in (index, index - 1):
        if 0 <= near < len(lines):
            line = lines[near]
            if "\t" in line[: len(line) - len(line.lstrip())]:
                return "indent with spaces, not tabs"
            if re.match(r"\s*[^:]+:\s+[^'\"\[{|>&*].*:\s", line + " "):
                return "put the value in quotation marks: it holds a colon"
            if re.match(r"\s*(?:[^:]+:|-)\s+'.*\w'\w", line):
                return "inside '…' write an apostrophe twice, or use \"…\""
    return f"correct the {what}; the file was not touched"


class _Reader:
    """Turns composed nodes into fields under the limits."""

    def __init__(self, source: Source, offset: int, first: int, what: str) -> None:
        self.source = source
        self.offset = offset  # of the YAML in the text, -1 if positions are not the text's
        self.first = first  # line on which the YAML begins
        self.what = what
        self.values = 0

    def _line(self, node: Node) -> int:
        return int(node.start_mark.line) + self.first

    def _count(self, node: Node, depth: int) -> None:
        self.values += 1
        if self.values > MAX_VALUES or depth > MAX_DEPTH:
            raise ParseError(
                f"{self.what} with more than {MAX_VALUES:,} values or {MAX_DEPTH} levels once aliases are expanded",
                place=self.source.place(self._line(node)),
                hint="write the values out without aliases",
            )

    def mapping(self, node: MappingNode, prefix: str, fields: list[Field], depth: int) -> None:
        self._count(node, depth)
        seen: dict[str, int] = {}
        for name_node, value in node.value:
            name, line = prefix + self._name(name_node), self._line(name_node)
            if name in seen:
                self.source.issue(
                    "duplicate-key",
                    f"the key {name!r} is also on line {seen[name]}: the first one counts",
                    line=line,
                    hint="remove one of the two",
                )
            elif not _is_merge(name_node):
                seen[name] = line
                self._field(name, line, value, fields, depth)
        for name_node, value in node.value:
            if _is_merge(name_node):
                self._merge(value, prefix, seen, fields, depth)

    def _field(self, name: str, line: int, value: Node, fields: list[Field], depth: int) -> None:
        if isinstance(value, MappingNode):
            self.mapping(value, name + ".", fields, depth + 1)
            return
        values = self.scalars(value, depth + 1)
        start = end = -1
        if isinstance(value, ScalarNode) and self.offset >= 0:
            start, end = self.offset + value.start_mark.index, self.offset + value.end_mark.index
        fields.append(Field(name, tuple(values), line, start, end))

    def _merge(self, value: Node, prefix: str, seen: dict[str, int], fields: list[Field], depth: int) -> None:
        """``<<: *base``: the pairs of one mapping, or of several, whose keys are not there already."""
        self._count(value, depth + 1)
        for base in value.value if isinstance(value, SequenceNode) else [value]:
            if not isinstance(base, MappingNode):
                self.source.issue("bad-merge", "`<<` merges mappings only: left out", line=self._line(value),
                                  hint="write the keys out")  # fmt: skip
                continue
            for name_node, inner in base.value:
                name = prefix + self._name(name_node)
                if _is_merge(name_node):
                    self._merge(inner, prefix, seen, fields, depth + 1)
                elif name not in seen:
                    seen[name] = self._line(name_node)
                    self._field(name, seen[name], inner, fields, depth + 1)

    def _name(self, node: Node) -> str:
        if isinstance(node, ScalarNode):
            return str(node.value).strip().rstrip(":")
        self.source.issue("bad-key", "a key that is a list or a mapping: read as '?'", line=self._line(node),
                          hint="write a text before the colon")  # fmt: skip
        return "?"

    def scalars(self, node: Node, depth: int) -> list[str]:
        self._count(node, depth)
        if isinstance(node, ScalarNode):
            return [str(node.value)] if node.value != "" else []
        if isinstance(node, MappingNode):
            return [
                f"{key.value}: {text}"
                for key, value in node.value
                for text in self.scalars(value, depth + 1)
                if isinstance(key, ScalarNode)
            ]
        assert isinstance(node, SequenceNode)
        if _is_link(node):
            return [f"[[{node.value[0].value[0].value}]]"]
        return [text for item in node.value for text in self.scalars(item, depth + 1)]


def _is_merge(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.value == "<<" and not node.style


def _is_link(node: SequenceNode) -> bool:
    """``[[X]]`` written bare inside a flow list: a list that holds a list that holds one text."""
    return (
        bool(node.flow_style)
        and len(node.value) == 1
        and isinstance(node.value[0], SequenceNode)
        and bool(node.value[0].flow_style)
        and len(node.value[0].value) == 1
        and isinstance(node.value[0].value[0], ScalarNode)
    )
