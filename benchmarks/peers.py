"""bm25s over the same documents and queries, as a user of that library would set it up."""

from __future__ import annotations

import re
from collections.abc import Callable

import bm25s
from beir import Dataset, Document, Search
from measures import Run
from whoosh.lang.snowball.english import EnglishStemmer

_HAN = re.compile("[㐀-鿿豈-﫿\U00020000-\U000323af]+")
Tokens = Callable[[list[str]], list[list[str]]]


def _english(stemmed: bool) -> Tokens:
    """The library's own tokenizer with its English stop words, as its documentation shows, with and without a stemmer."""
    stem: Callable[[str], str] = EnglishStemmer().stem

    def tokens(texts: list[str]) -> list[list[str]]:
        stemmer = (lambda words: [stem(word) for word in words]) if stemmed else None
        found = bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)
        return [list(words) for words in found]

    return tokens


def _han(stemmed: bool) -> Tokens:
    """Characters and pairs of characters of every Chinese run; the rest as English."""
    english = _english(stemmed)

    def tokens(texts: list[str]) -> list[list[str]]:
        rest = english([_HAN.sub(" ", text) for text in texts])
        return [[*_grams(text), *words] for text, words in zip(texts, rest, strict=True)]

    return tokens


def _grams(text: str) -> list[str]:
    return [gram for run in _HAN.findall(text) for gram in (*run, *(run[i : i + 2] for i in range(len(run) - 1)))]


PEERS = {"bm25s": False, "bm25s stemmed": True}


def run(name: str, dataset: Dataset, asked: Search, k: int = 100) -> Run:
    """The run of a peer: defaults of the library (Lucene's form, k1 = 1.5, b = 0.75) over title and text."""
    documents = dataset.in_pool(asked.pool)
    chinese = any(_HAN.search(text) for text in [*asked.queries.values(), *(d.text for d in documents)])
    tokens = (_han if chinese else _english)(PEERS[name])
    index = bm25s.BM25()
    index.index(tokens([_text(d) for d in documents]), show_progress=False)
    found, scores = index.retrieve(
        tokens(list(asked.queries.values())), k=min(k, len(documents)), n_threads=1, show_progress=False
    )
    return {
        query: [(documents[int(i)].id, float(s)) for i, s in zip(found[at], scores[at], strict=True) if s > 0]
        for at, query in enumerate(asked.queries)
    }


def _text(document: Document) -> str:
    return f"{document.title}\n{document.text}".strip()
