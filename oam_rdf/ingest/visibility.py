"""The words by which a source says who may see it. Whatever says so is read, or counts as RESTRICTED with an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from oam_rdf.ingest.profiles import Profile, key
from oam_rdf.ingest.source import Source
from oam_rdf.ingest.vocabulary import notation
from oam_rdf.model import VISIBILITIES
from oam_rdf.namespaces import SCHEMES
from oam_rdf.ontology import Ontology

#: Names (folded) that speak of nothing else: whatever stands beside them counts.
_SURE = frozenset({"visibility", "可見性", "可见性", "visibilitylevel", "visibilityclass"})
#: Names of header fields that say the same; elsewhere they count only beside a known word.
_LIKELY = frozenset({
    "access", "accesslevel", "accessclass", "accessrights", "存取", "存取權限", "存取权限", "存取級別", "存取级别",
    "訪問權限", "访问权限", "密級", "密级", "保密等級", "保密等级", "機密等級", "机密等级",
})  # fmt: skip
#: More ways to write the levels than the vocabulary's notations and labels.
_WORDS = {"open": "PUBLIC", "openaccess": "PUBLIC", "internaluse": "INTERNAL", "internaluseonly": "INTERNAL",
          "internalonly": "INTERNAL", "內部使用": "INTERNAL", "内部使用": "INTERNAL",
          "保密": "CONFIDENTIAL"}  # fmt: skip
_NAMES = "|".join(
    sorted(
        ("visibility(?:[ _-]?(?:level|class))?", "可[見见]性", "access(?:[ _-]?(?:level|class|rights))?", "audience",
         "classification", "confidentiality", "clearance", "sensitivity", "存取(?:[權权]限|[級级][別别])?",
         "[訪访][問问][權权]限", "[保機机]?密等?[級级]", "公[開开][範范][圍围]"), key=len, reverse=True,
    )
)  # fmt: skip
# A line that begins like a header field, whatever marks stand around it: ":Visibility: x", "- **可見性：** x",
# "visibility:: x", "| Visibility | x |", "<!-- visibility: x -->", ".. visibility: x", "access.visibility: x".
_LINE = re.compile(
    rf"^(?P<before>[ \t\ufeff]*(?:<!--|\.\.|//|%+|#+|;+)?[ \t>*_+\-:|\[(]*)(?:\w+\.)?(?P<name>{_NAMES})"
    r"(?P<between>[\s*_]*(?:[:：]{1,2}|=|\|)[\s*_]*)(?P<value>[^\n|]*)",
    re.IGNORECASE | re.MULTILINE,
)
_INLINE = re.compile(rf"[\[(](?P<name>{_NAMES})::[ \t]*(?P<value>[^\[\]()\n]*[^\[\]()\s])\s*[\])]", re.IGNORECASE)
_TAIL = re.compile(r"[\s*_\])|\\.。;；,，]*(?:-->)?\s*\Z")
_SPLIT = re.compile(r"[,，、;；/|\n]|\s+and\s+")


def named(name: str, profile: Profile | None = None) -> bool:
    """Whether a header field, attribute or key of this name says who may see; ``profile`` may give it another sense."""
    mapped = profile.field(name) if profile else ""
    if mapped:
        return mapped == "visibility"
    return any(key(part) in _SURE | _LIKELY for part in name.split("."))


def local_name(name: str) -> str:
    """What a key, prefixed name or IRI ends with: ``oam:visibility`` and ``…/ns#visibility`` are ``visibility``."""
    return re.split(r"[:/#]", name)[-1]


@lru_cache(maxsize=4)
def _labels(ontology: Ontology) -> dict[str, str]:
    found = dict(_WORDS)
    for level in VISIBILITIES:
        for language in ("en", "zh-Hant", "zh-Hans"):
            found[key(ontology.label(SCHEMES["visibility"] + level, level, language))] = level
    return found


def known(word: str) -> str:
    """The level that a word, IRI or prefixed name (``vis:INTERNAL``) stands for, "" if none."""
    word = _TAIL.sub("", word).strip(" \t\"'`*_<>「」").removeprefix(SCHEMES["visibility"]).removeprefix("vis:")
    return notation("visibility", word) or _labels(Ontology.load()).get(key(word), "")


def narrowest(levels: Iterable[str]) -> str:
    """The narrowest of some levels; "" (nothing said) is the widest."""
    return max(levels, key=lambda level: VISIBILITIES.index(level) if level else -1, default="")


def read(word: str, source: Source, line: int) -> str:
    """The level that ``word`` names; an unknown word gives the narrowest audience, so that nothing leaks."""
    level = known(word)
    if level:
        return level
    parts = [part for part in _SPLIT.split(word) if part.strip()]
    levels = [known(part) for part in parts]
    if len(parts) > 1 and all(levels):
        return narrowest(levels)
    source.issue("unknown-label", f"unknown visibility {word!r}: treated as RESTRICTED", line=line,
                 hint=f"use one of {', '.join(VISIBILITIES)}")  # fmt: skip
    return VISIBILITIES[-1]


def in_value(value: Any, source: Source, line: int) -> str:
    """The narrowest level said anywhere in a JSON value, "" if none: by any key that speaks of it, at any depth."""
    levels: list[str] = []
    todo: list[tuple[Any, bool]] = [(value, False)]
    while todo:
        node, said = todo.pop()
        if isinstance(node, list):
            todo += [(item, said) for item in node]
        elif isinstance(node, dict):
            about = [name for name in node if named(local_name(str(name)))]
            if said and not about:  # {"access": {"level": "internal"}}: its words count whatever their keys are
                words = [str(word) for word in _scalars(node) if word not in (None, "")]
                found = [level for word in words if (level := known(word))]
                levels += found or [read(word, source, line) for word in words[:1]]
                continue
            todo += [(item, name in about) for name, item in node.items() if name != "@context"]
        elif said and node not in (None, ""):
            levels.append(read(str(node), source, line))
    return narrowest(levels)


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _scalars(item)
    else:
        yield value


@dataclass(frozen=True, slots=True)
class Said:
    """A line of a text that says who may see: where, the word, and the level if it is known.

    ``sure`` is True where nothing else can be meant, so that it counts wherever it stands; otherwise only in a header.
    """

    start: int
    word: str
    level: str
    sure: bool


def in_lines(text: str) -> Iterator[Said]:
    """Every line of ``text`` that looks like a header field about visibility, and ``[visibility:: x]`` in any line."""
    for inner in _INLINE.finditer(text):
        yield Said(inner.start("name"), inner["value"].strip(), known(inner["value"]), True)
    for line in _LINE.finditer(text):
        word = _TAIL.sub("", line["value"]).strip()
        if not word:
            continue
        level, sure = known(word), key(line["name"]) in _SURE
        marks = line["before"] + line["between"]
        short = len(word.split()) <= 3 and len(word) < 25
        field = "::" in line["between"] or line["before"].strip() == ":"
        if level:
            yield Said(line.start("name"), word, level, sure)
        elif sure and "\n" not in line["between"] and (field or short):
            yield Said(line.start("name"), word, "", field or "**" in marks)
