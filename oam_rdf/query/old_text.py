"""Old texts cut into passages and ranked, on demand: an edited document's text has no index of its own."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from oam_rdf.errors import Damaged, NotFound
from oam_rdf.query.body import said
from oam_rdf.query.history import HistoricalVersion, objects_then
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.times import iso_micros
from oam_rdf.query.trace import HistoricalText
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import Segmenter, bigrams

_PIECE = 600  # characters of a run of sentences


def bm25(query: str, texts: list[str], k1: float = 1.2, b: float = 0.75) -> list[float]:
    """BM25 of each text, by words and Han pairs, over these texts alone."""
    segmenter = Segmenter(())

    def terms(text: str) -> list[str]:
        words = [token.key for token in segmenter.tokens(text) if token.kind != "han"]
        return words + list(bigrams(index_key(text)))

    bags = [Counter(terms(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    scores = [0.0] * len(texts)
    for term in set(terms(query)):
        df = sum(1 for bag in bags if term in bag)
        if not df:
            continue
        idf = math.log(1 + len(texts) / df)
        for number, bag in enumerate(bags):
            tf = bag[term]
            scores[number] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * lengths[number] / (mean or 1.0)))
    return scores


def passages_then(snapshot: Snapshot, version: HistoricalVersion, asked: str = "") -> list[HistoricalText]:
    """The text of a version in passages: a statement that was an object is one, other sentences go by section.

    :param asked: DOCUMENT or SECTION for nothing finer.
    """
    try:
        text = snapshot.original(version.original)
    except (NotFound, Damaged) as error:
        snapshot.degraded.setdefault("history", snapshot.told(str(error)))
        return []
    objects = objects_then(snapshot, version, text)
    if not objects or objects[0].granularity != "DOCUMENT":
        return []
    document = objects[0]
    sections = [item for item in objects if item.granularity == "SECTION"]
    statements = [item for item in objects if item.granularity == "STATEMENT"]
    titles = {item.title for item in (document, *sections)}  # headings name what follows; they state nothing
    name, until = f"{document.identifier}@{version.mark}", iso_micros(version.until)
    found: list[HistoricalText] = []
    taken = -1  # end of the last statement that was an object
    for span in said(text):
        exact = text[span.start : span.end].strip(" #*\t\r")
        if span.start < taken or exact in titles:
            continue
        item = next((s for s in statements if s.start <= span.start < s.end), None)
        section = next((s for s in reversed(sections) if s.start <= span.start), document)
        start, end = (item.start, item.end) if item else (span.start, span.end)
        taken = max(taken, end) if item else taken
        shown = item if item and asked not in ("DOCUMENT", "SECTION") else document if asked == "DOCUMENT" else section
        last = found[-1] if found else None
        loose = item is None and last is not None and last.object is shown and last.end > taken
        if last is not None and loose and end - last.start <= _PIECE:
            found[-1] = replace(last, end=end, text=text[last.start : end])
            continue
        heading = section.title if section is not document else ""
        found.append(
            HistoricalText(
                name, version.iri, version.original, start, end, text[start:end], until, document, shown, heading
            )
        )
    if not found and text.strip():  # nothing but a header: the document must still be found
        start, end = 0, min(len(text), _PIECE)
        found.append(
            HistoricalText(name, version.iri, version.original, start, end, text[start:end], until, document, document)
        )
    return found
