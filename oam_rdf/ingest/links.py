"""References in header values and in running text, as written; code and math are never read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from oam_rdf.ingest.blocks import CODE, MATH, Block
from oam_rdf.ingest.profiles import Profile
from oam_rdf.ingest.source import Source

WIKILINK = re.compile(r"!?\[\[(?P<target>(?:[^\[\]|\\\n]|\\(?!\|))*)(?:\\?\|(?P<label>[^\[\]\n]*))?\]\]")
_MARKDOWN = re.compile(
    r"(?<!!)\[(?P<label>(?:[^\[\]\n\\]|\\.){0,300})\]\((?P<target><[^<>\n]+>|[^()\s<>]+)(?:\s+[\"'][^\n]*?[\"'])?\)"
)
_TITLE = re.compile(r"《(?P<target>[^《》\n]{1,120})》")
_FILE = re.compile(r"\.(?:md|markdown|rst)$", re.IGNORECASE)
#: ``[label]: target``, and its uses ``[text][label]``, ``[label][]``, ``[label]``.
DEFINITION = re.compile(r"^ {0,3}\[(?P<label>[^\[\]\n]{1,100})\]:[ \t]+<?(?P<target>[^\s<>]+)>?[^\n]*$", re.MULTILINE)
_USE = re.compile(r"(?<![!\]\\])(?:\[(?P<text>[^\[\]\n]{1,300})\])?\[(?P<label>[^\[\]\n]{0,100})\](?![(:\[])")
_NOTHING = re.compile(r"(?:無|无|none|null|n/?a|nil|-+|—+|–|~|尚無|待定|tbd)?", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,，、;；\n]")
_TICKS = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?:.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
_DOUBLE_TICKS = re.compile(r"``.+?``", re.DOTALL)
_DOLLARS = re.compile(r"\$(?![\s$])[^$\n]{1,400}?(?<![\s\\])\$(?!\d)")
_REVERSED = re.compile(r"(?:已?被|由)\s*《[^》]+》\s*(?:所)?取代|superseded by", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """One reference in the text: ``start:end`` of the whole link, its relation and its target as written."""

    start: int
    end: int
    relation: str
    target: str
    label: str = ""


def in_value(value: str, profile: Profile) -> list[str]:
    """The references of one header value: [[links]], else 《titles》, else file links, else the listed ids or names."""
    found = [target for m in WIKILINK.finditer(value) if (target := _wiki_target(m))]
    found = found or [m["target"].strip() for m in _TITLE.finditer(value)]
    found = found or [unquote(m["target"].strip("<>")) for m in _MARKDOWN.finditer(value)]
    if found:
        return found
    parts = [part.strip().strip("*`。.").strip() for part in _SEPARATOR.split(value)]
    references = [profile.reference(part) for part in parts if not _NOTHING.fullmatch(part)]
    return [reference for reference in references if len(reference) <= 100]


def turned(relation: str, value: str) -> str:
    """``supersedes`` whose value says 已被《X》取代 is the inverse."""
    return "superseded_by" if relation == "supersedes" and _REVERSED.search(value) else relation


def unsafe(target: str, path: str) -> bool:
    """Whether a target, read from the file ``path``, names a path outside the folder (hazard 81).

    Nothing is ever opened by a target; such a one is reported and makes no relation.
    """
    if target.startswith(("/", "~", "\\", "file:")) or re.match(r"[A-Za-z]:[\\/]", target):
        return True
    joined = posixpath.join(posixpath.dirname(path), target.replace("\\", "/"))
    return posixpath.normpath(joined).startswith("..")


def masked(text: str, blocks: Sequence[Block], begin: int, *, rst: bool) -> str:
    """``text`` with code, math and everything before ``begin`` overwritten, offsets unchanged."""
    ranges = [(0, begin)]
    ticks = _DOUBLE_TICKS if rst else _TICKS
    for block in blocks:
        if block.kind in (CODE, MATH):
            ranges.append((block.start, block.end))
        else:
            piece = text[block.start : block.end]
            if "`" in piece:
                ranges += [(block.start + m.start(), block.start + m.end()) for m in ticks.finditer(piece)]
            if "$" in piece and not rst:
                ranges += [(block.start + m.start(), block.start + m.end()) for m in _DOLLARS.finditer(piece)]
    out: list[str] = []
    at = 0
    for start, end in sorted(ranges):
        if end <= at:
            continue
        start = max(start, at)
        out += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join([*out, text[at:]])


def in_text(source: Source, clean: str, profile: Profile, *, markdown: bool) -> list[Link]:
    """All references of the text ``clean`` (see :func:`masked`), by offset; the profile says which kinds count."""
    found: list[Link] = []
    if "[[" in clean and profile.wikilinks:
        for match in WIKILINK.finditer(clean):
            target = _wiki_target(match)
            if not target or target.startswith("#") or not _is_reference(target):
                continue
            if unsafe(target, source.path):
                source.issue(
                    "path-outside", f"the link target {target!r} leaves the folder", line=source.line(match.start()),
                    hint="nothing was read from there; name a document instead",
                )  # fmt: skip
                continue
            found.append(Link(*match.span(), profile.wikilinks, target, (match["label"] or "").strip()))
    if markdown and profile.links and "](" in clean:
        for match in _MARKDOWN.finditer(clean):
            target = unquote(match["target"].strip("<>"))
            if _is_document(target, profile):
                found.append(Link(*match.span(), profile.links, target, match["label"].strip()))
    if markdown and profile.links and "]:" in clean:
        found += _by_definition(clean, profile)
    if profile.titles and "《" in clean:
        found += [Link(*m.span(), profile.titles, m["target"].strip()) for m in _TITLE.finditer(clean)]
    for citation in profile.citations:
        found += [Link(*m.span(), citation.relation, citation.reference(m)) for m in citation.pattern.finditer(clean)]
    found.sort(key=lambda link: (link.start, -link.end))
    return _outermost(found)


def _is_document(target: str, profile: Profile) -> bool:
    name = target.split("#", 1)[0]
    if "://" in target or target.startswith(("/", "mailto:")) or not _FILE.search(name):
        return False
    last = name.rsplit("/", 1)[-1]
    return last not in profile.ignore and _FILE.sub("", last) not in profile.ignore


def _by_definition(clean: str, profile: Profile) -> list[Link]:
    """Links whose target stands in a definition ``[label]: ./x.md`` elsewhere, where they are used."""
    targets = {
        m["label"].casefold(): target
        for m in DEFINITION.finditer(clean)
        if not m["label"].startswith("^") and _is_document(target := unquote(m["target"]), profile)  # no footnotes
    }
    if not targets:
        return []
    found = []
    for match in _USE.finditer(clean):
        label = match["label"] or match["text"] or ""
        if target := targets.get(label.casefold(), ""):
            found.append(Link(*match.span(), profile.links, target, match["text"] or label))
    return found


def _outermost(links: Iterable[Link]) -> list[Link]:
    """Without references inside references (``PEP 8`` in the label of a link to it)."""
    kept: list[Link] = []
    for link in links:
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept


def _is_reference(target: str) -> bool:
    """``[[ -f "$x" ]]``, ``[[:space:]]`` and the like are shell, not links."""
    return not re.search(r"[\"$=<>{}]|^[:!-]|^\s", target) and any(c.isalnum() for c in target)


def _wiki_target(match: re.Match[str]) -> str:
    """``t``, ``t#h`` or ``t#^b`` of a wikilink."""
    target = match["target"].rstrip("\\")
    if target != target.strip() and target.strip().startswith("-"):
        return ""
    target = target.strip()
    name, caret, block = target.partition("^")
    if caret and not name.endswith("#"):
        return f"{name}#^{block}" if name else ""
    return target
