"""Ids and names that are made from text: of sections, statements, headings and references."""

from __future__ import annotations

import hashlib
import re
import unicodedata


class Names:
    """The local ids of one document, each given once."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def __contains__(self, wanted: str) -> bool:
        return wanted in self._used

    def take(self, wanted: str) -> str:
        """``wanted``, or with ``-2``, ``-3`` … if the document has it already."""
        while True:
            count = self._used[wanted] = self._used.get(wanted, 0) + 1
            name = wanted if count == 1 else f"{wanted}-{count}"
            if count == 1 or name not in self._used:
                self._used.setdefault(name, 1)
                return name


def statement_id(content: str) -> str:
    """``st-`` and 10 hex digits of the statement's text."""
    return f"st-{_digest(content)[:10]}"


def argument_id(content: str) -> str:
    """``arg-`` and 10 hex digits of the argument's text."""
    return f"arg-{_digest(content)[:10]}"


def work_id(key: str) -> str:
    """``work-`` and 10 hex digits of what names an external work: its DOI, arXiv id or citation."""
    return f"work-{_digest(key)[:10]}"


def section_id(path: str) -> str:
    """``sec-`` and 8 hex digits of the heading path."""
    return f"sec-{_digest(path)[:8]}"


def _digest(text: str) -> str:
    normal = collapsed(unicodedata.normalize("NFC", text))
    return hashlib.sha256(normal.encode()).hexdigest()


def collapsed(text: str) -> str:
    """``text`` with each run of white space as one space."""
    return " ".join(text.split())


def heading_text(title: str) -> str:
    """A heading without Markdown marks."""
    title = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", title)
    title = re.sub(r"\[\[(?:[^\]|]*\|)?([^\]]+)\]\]", r"\1", title)
    return collapsed(re.sub(r"\*\*|__|`", "", title).strip())


def reference_name(target: str) -> str:
    """The name in a reference: ``eip-20`` of ``./eip-20.md#abstract``."""
    return re.sub(r"\.(?:md|markdown|rst)$", "", target.split("#", 1)[0].rsplit("/", 1)[-1])
