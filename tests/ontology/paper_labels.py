"""Finds the labels of a paper in its text: what somebody who reads it might type into a query or a data file.

Labels stand in code fences, between backticks, as keys and one-word values of the JSON and YAML examples, in headings of
numbered systems and hypotheses, and in the papers' enumerations. Prose is not searched, apart from names that are
written as only a label can be (``SOURCE.BACK``, ``depends_on``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"```(\w*)(.*?)```", re.DOTALL)
_WORD = r"/?[A-Za-z][\w.@-]*[\w]|[A-Za-z]"
_PROSE = re.compile(r"(?<![\w.`/\\{$])([A-Z][A-Z0-9]+(?:[._][A-Z0-9_]+)+|[a-z]{2,}(?:_[a-z]{2,})+)(?![\w}])")
_PATTERNS = (
    re.compile(r"(?<=### )([A-H])(?=\. )"),  # systems
    re.compile(r"(?<=## )([HW]\d)(?=：)"),  # hypotheses
    re.compile(r"(?<=\$ )([ELGPVSC]_d|\\Phi_d)(?= \$)|(?<=\$)([ELGPVSC]_d|\\Phi_d)(?=\$)"),  # parts of K(d)
    re.compile(r"(?<=\\mathrm\{)(lex|sem|op|graph|epi|version|route)(?=\})"),  # parts of Q(q)
    re.compile(r"## 13\.\d ([A-Z][a-z]+ (?:lookup|navigation|query))"),
    re.compile(r"(?<= - )([A-Za-z][A-Za-z0-9@]*(?:[ -][a-z]+)*)(?=[；。])"),  # enumerations
    re.compile(r"(?m)^([A-Za-z][A-Za-z0-9-]+)\t[^\t\n]+\t[^\t\n]+$"),  # a glossary
)
_SECTION = {
    "oam": re.compile(r"(?:^|\s)#{1,3} (\d+(?:\.\d+)?)[. ]"),
    "wiki": re.compile(r"(?m)^(\d{1,2}\.\d|附录 [A-C]|\d{1,2}(?=\. [^\n]+\n\n))(?:\. | |：)(?=\S)"),
}


def labels(text: str, paper: str) -> dict[str, str]:
    """Label → number of the section in which it first stands ("" before the first)."""
    found: dict[str, int] = {}
    for label, position in (*_fenced(text), *_backticked(text), *_plain(text)):
        found[label] = min(position, found.get(label, position))
    heads = [(match.start(), match[1]) for match in _SECTION[paper].finditer(text)]
    return {
        label: next((number for start, number in reversed(heads) if start <= position), "")
        for label, position in sorted(found.items(), key=lambda item: item[1])
    }


def _fenced(text: str) -> Iterator[tuple[str, int]]:
    for fence in _FENCE.finditer(text):
        language, body, offset = fence[1], fence[2], fence.start(2)
        if language == "text":
            patterns = [f"({_WORD})"]
        elif language == "json":
            patterns = [r'"([A-Za-z_][\w.]*)"']
        else:
            patterns = [r"(?:^|\s)([a-z_]+):(?=\s|$)", r"- ([A-Za-z_][\w.]*)(?=\s|$)", r"type: (\w+)"]
        for pattern in patterns:
            for match in re.finditer(pattern, body):
                yield match[1], offset + match.start(1)


def _backticked(text: str) -> Iterator[tuple[str, int]]:
    outside = _FENCE.sub(lambda match: " " * len(match[0]), text)
    for match in re.finditer(r"`([A-Za-z_/][\w./ -]*)`", outside):
        yield match[1], match.start(1)


def _plain(text: str) -> Iterator[tuple[str, int]]:
    for pattern in (_PROSE, *_PATTERNS):
        for match in pattern.finditer(text):
            group = next(number for number, value in enumerate(match.groups(), 1) if value)
            yield match[group], match.start(group)
