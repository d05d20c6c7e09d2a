"""External works: the items of a reference list that carry a DOI, an arXiv id or a full reference (segmentation.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from oam_rdf.ingest.blocks import HEADING, ITEM, PROSE, Block
from oam_rdf.ingest.links import Link
from oam_rdf.ingest.naming import collapsed, heading_text, work_id
from oam_rdf.ingest.source import Source
from oam_rdf.model import ExternalWork, Span

_TITLE = re.compile(
    r"(?:(?:\d+(?:\.\d+)*|[IVX]+|[一二三四五六七八九十]+)[.、．]?\s*|(?:appendix|附錄|附录)\s*\w+[.:：、]?\s*)?"
    r"(?:(?:references(?:\s+(?:and|&)\s+\w+)*|(?:selected\s+)?bibliography|works\s+cited|cited\s+works|"
    r"literature(?:\s+cited)?|footnotes(?:\s+(?:and|&)\s+\w+)*)\W*\Z|"
    r"主?要?(?:參考|参考|引用|徵引|征引)(?:文獻|文献|書目|书目|資料|资料|著作)|文獻目錄|文献目录|書目|书目)",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s\"<>|`《》「」『』，。；、（）]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf|html)/|\s*[:：.]?\s*\[?)(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?!\d)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^[ \t]*(?:\[[^\[\]\s]{1,24}\]|[（(]\d{1,3}[)）]|\d{1,3}[.)、])[ \t]+(?=\S)", re.MULTILINE)
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+")
_YEAR = re.compile(r"(?<![\d./-])(?:1[5-9]|20)\d\d[a-z]?(?![\d/])")
_NAMED = re.compile(r"\*[^*\n]{2,300}\*|_[^_\n]{2,300}_(?!\w)|[\"“「][^\"”」]{2,300}[\"”」]|[《〈][^》〉]{1,200}[》〉]")
_PARTS = re.compile(r"[.．。,，;；:：](?:\s|\Z)|[。，；：]")
_HAN = re.compile("[㐀-鿿]")
_SHORTEST, _LONGEST = 24, 1500  # characters of a full reference, its addresses not counted


def works(source: Source, blocks: Sequence[Block], links: Sequence[Link]) -> tuple[ExternalWork, ...]:
    """The works of all reference lists, in order of the text, each once.

    An item that refers to a document of the corpus (one of ``links``) is that citation, unless it names a DOI or arXiv id.
    """
    found: dict[str, ExternalWork] = {}
    for start, end in _entries(source.text, blocks):
        written = source.text[start:end]
        doi, arxiv = doi_of(written), arxiv_of(written)
        internal = any(start <= link.start < end for link in links)
        if not (doi or arxiv) and (internal or not is_full(written)):
            continue
        citation = collapsed(written)
        # The registry of arXiv's own DOIs names the same work.
        key = (
            f"arxiv:{arxiv}"
            if arxiv and (not doi or doi.startswith("10.48550/"))
            else f"doi:{doi}"
            if doi
            else citation
        )
        name = work_id(key)
        found.setdefault(name, ExternalWork(name, citation, doi, arxiv, source.line(start), Span(start, end)))
    return tuple(found.values())


def is_list(heading: str) -> bool:
    """Whether a heading announces a reference list."""
    return _TITLE.match(heading_text(heading)) is not None


def doi_of(text: str) -> str:
    """The first DOI, in lower case and without what the sentence adds to it; "" if there is none."""
    match = _DOI.search(text)
    if not match:
        return ""
    written = unquote(match[0]) if "%" in match[0] else match[0]
    written = re.split(r"\]\(|\*\*|\)\[", written)[0]
    while written and (
        written[-1] in ".,;:!?'’*_]}>" or (written[-1] == ")" and written.count("(") < written.count(")"))
    ):
        written = written[:-1]
    return written.lower()


def arxiv_of(text: str) -> str:
    """The first arXiv id without its version; "" if there is none."""
    match = _ARXIV.search(text)
    return match["id"].lower() if match else ""


def is_full(text: str) -> bool:
    """Whether a reference without identifier says enough to find the work: who or where, what, and when."""
    words = collapsed(_ADDRESS.sub(" ", text))
    size = len(words) + len(_HAN.findall(words))  # a Han character says as much as two letters
    if not _SHORTEST <= size <= _LONGEST or not _YEAR.search(words):
        return False
    named = _NAMED.search(words)
    return len(_PARTS.findall(words)) >= (1 if named else 3)


def _entries(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int]]:
    """Extents of the items of reference lists: list items with what continues them, footnotes, marked lines."""
    level = 0  # of the open list's heading, 0 = not in a list
    pending: tuple[int, int, int] | None = None  # start, end, group
    for block in blocks:
        if block.kind == HEADING:
            if pending:
                yield pending[:2]
            pending = None
            if level == 0 or block.level <= level:
                level = block.level if is_list(block.title) else 0
            continue
        if level == 0 or block.header or block.kind not in PROSE:
            continue
        if pending and block.kind != ITEM and block.group and block.group == pending[2]:
            pending = (pending[0], block.end, pending[2])
            continue
        if pending:
            yield pending[:2]
            pending = None
        cuts = [match.end() for match in _ENTRY.finditer(text, block.start, block.end)]
        marks = [match.start() for match in _ENTRY.finditer(text, block.start, block.end)]
        if block.kind == ITEM or not cuts:
            pending = (block.start, block.end, block.group)
            continue
        if text[block.start : marks[0]].strip():
            yield block.start, len(text[: marks[0]].rstrip())
        for at, stop in zip(cuts, [*marks[1:], block.end], strict=True):
            yield at, at + len(text[at:stop].rstrip())
    if pending:
        yield pending[:2]
