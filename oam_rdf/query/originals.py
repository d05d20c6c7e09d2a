"""Texts of Originals for readers, with a small cache. Offsets are code points of the text as stored."""

from __future__ import annotations

import re
from collections import OrderedDict
from pathlib import Path

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.store.originals import Originals, digest

_HASH = re.compile(r"[0-9a-f]{64}\Z")


class Texts:
    """Decoded Originals of one knowledge base; at most ``kept`` texts and ``max_chars`` characters stay in memory."""

    def __init__(self, folder: Path, kept: int = 4096, max_chars: int = 32_000_000) -> None:
        self._originals = Originals(folder)
        self._kept, self._max_chars = kept, max_chars
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    def path(self, sha256: str) -> Path:
        """The file that holds an Original. :raises NotFound: if there is none."""
        # Anything but a hash could walk out of the folder.
        found = self._originals.find(sha256) if _HASH.match(sha256) else None
        if found is None:
            raise NotFound(f"no Original {sha256 or '(none)'}", hint="run `oam doctor`")
        return found

    def bytes(self, sha256: str) -> bytes:
        """Its bytes, unchecked. :raises NotFound: if there is none."""
        return self.path(sha256).read_bytes()

    def intact(self, sha256: str) -> bool:
        """Whether the stored bytes have the hash that names them."""
        return digest(self.bytes(sha256)) == sha256

    def text(self, sha256: str, *, checked: bool = True) -> str:
        """Its text, compared with its hash once, when it is read. ``checked=False`` reads it as it is and keeps nothing.

        :raises NotFound: if there is none. :raises Damaged: if it was altered or is not UTF-8.
        """
        if checked and sha256 in self._texts:
            self._texts.move_to_end(sha256)
            return self._texts[sha256]
        path = self.path(sha256)
        data = path.read_bytes()
        if checked and digest(data) != sha256:
            hint = "restore it from a backup; `oam doctor` lists all such files"
            raise Damaged("an Original was altered after it was stored", place=str(path), hint=hint)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Damaged(f"an Original is not UTF-8: {error}", place=str(path), hint="run `oam doctor`") from error
        if not checked:
            return text
        self._texts[sha256] = text
        self._size += len(text)
        while len(self._texts) > 1 and (len(self._texts) > self._kept or self._size > self._max_chars):
            self._size -= len(self._texts.popitem(last=False)[1])
        return text
