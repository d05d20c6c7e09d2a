"""Questions that ship as SPARQL, asked by name (``ontology/queries/``; paper §13.6).

Each ``.rq`` file begins with its question in three languages. A line ``Narrower: ?state epi:CONJECTURE …`` says which concepts
a variable stands for: these and all that is narrower, which is added as ``VALUES``, because a knowledge base does not hold
the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from oam_rdf.errors import ConfigError, NotFound
from oam_rdf.namespaces import PREFIXES, SCHEMES
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir

_HEAD = re.compile(r"^# (Question|問題|问题)(?::|：)\s*(.*)$", re.MULTILINE)
_NARROWER = re.compile(r"^# Narrower: (\?\w+) (.+)$", re.MULTILINE)
_LANGUAGES = {"Question": "en", "問題": "zh-Hant", "问题": "zh-Hans"}


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """``questions``: language -> the question; ``text`` can be asked as it is."""

    name: str
    questions: Mapping[str, str]
    text: str


def named_queries(ontology: Ontology | None = None) -> dict[str, NamedQuery]:
    """All of them by name, in order. :raises ConfigError: if the head of one is incomplete or names what is not known."""
    ontology = ontology or Ontology.load()
    found = {}
    for file in sorted((ontology_dir() / "queries").glob("*.rq")):
        text = file.read_text(encoding="utf-8")
        questions = {_LANGUAGES[name]: words.strip() for name, words in _HEAD.findall(text)}
        if len(questions) != len(_LANGUAGES):
            raise ConfigError("its head lacks the question in a language", place=file.name)
        values = [_values(variable, names.split(), ontology, file.name) for variable, names in _NARROWER.findall(text)]
        found[file.stem] = NamedQuery(file.stem, questions, text + "".join(values))
    return found


def named_query(name: str) -> NamedQuery:
    """One by its name. :raises NotFound: if there is none, naming those there are."""
    known = named_queries()
    if name not in known:
        raise NotFound(f"no query is called {name!r}", hint="one of " + ", ".join(known))
    return known[name]


def _values(variable: str, names: list[str], ontology: Ontology, place: str) -> str:
    wanted = set()
    for name in names:
        prefix, _, notation = name.partition(":")
        iri = PREFIXES.get(prefix, "") + notation
        if iri not in ontology.concepts:
            raise ConfigError(f"{name} is no concept", place=place)
        wanted.add(iri)
    inside = {space for space in SCHEMES.values() if any(iri.startswith(space) for iri in wanted)}
    found = set(wanted)
    while True:
        more = {i for i, above in ontology.broader.items() if above & found and any(map(i.startswith, inside))} - found
        if not more:
            return f"\nVALUES {variable} {{ {' '.join(f'<{iri}>' for iri in sorted(found))} }}\n"
        found |= more
