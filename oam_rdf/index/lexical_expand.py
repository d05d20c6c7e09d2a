"""Query terms that occur through other words: synonyms and translations (decision D21; retrieval.md, "Lexical").

Query side only. A word of several words occurs where all of them stand in one field, a Han word where its character
pairs do, however the text around it was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from oam_rdf.index.lexical_terms import Form, Term, compound, key, needed, query_terms
from oam_rdf.text.cedict import Cedict
from oam_rdf.text.gloss import FUNCTION_WORDS, base_forms
from oam_rdf.text.lexicon import Lexicon
from oam_rdf.text.normalise import index_key
from oam_rdf.text.segment import HAN, Segmenter, Token
from oam_rdf.text.stem import ENGLISH, plural, singular, stem

# Translations of a term that are looked for: a Chinese word has few glosses, an English one many words that mean it.
_TO_ENGLISH, _TO_CHINESE = 8, 32
_ORDINARY = (
    0.5  # share for a word with translations that stands in the other language as written: a name would have none
)
_PHRASE = 3  # English words that one entry may translate together
_cut = Segmenter(()).segment


@lru_cache(maxsize=1 << 14)
def occurrence(text: str, how: str) -> tuple[tuple[str, ...], ...]:
    """Groups of stored terms of which every field that holds ``text`` holds one each.

    ``text`` is an index key of one or more words, of which those that say nothing are left out. A synonym stands as
    written or in the other number; a translation in any inflection, for a dictionary lists base forms.
    """
    groups: dict[tuple[str, ...], None] = {}
    tokens = _cut(text)
    i = 0
    while i < len(tokens):
        start, i = i, i + 1
        if tokens[start].kind != HAN:
            if tokens[start].key not in FUNCTION_WORDS or len(tokens) == 1:
                groups[_letters(tokens[start].key, how)] = None
            continue
        while i < len(tokens) and tokens[i].kind == HAN and tokens[i - 1].end == tokens[i].start:
            i += 1
        run = "".join(t.key for t in tokens[start:i])
        groups.update(dict.fromkeys(needed(run) if len(run) > 1 else [(run,)]))
    return tuple(groups)


def _letters(word: str, how: str) -> tuple[str, ...]:
    """Stored terms that show a word of letters: as written, inside something longer, joined otherwise, inflected."""
    made = compound(word)
    together = key(made.joined) if made else key(word)
    found = ["=" + together, *([together] if made else [])]
    one = singular(word)
    for form in dict.fromkeys((word, one, plural(one))):
        found += [key(form), "<" + key(form)]
    if how == "translation" and ENGLISH.fullmatch(word):
        root = key(stem(word))
        found += ["~" + root, root, "<" + root]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1 << 14)
def forms(how: str, texts: tuple[str, ...]) -> tuple[Form, ...]:
    """One form for each synonym or translation."""
    return tuple(Form(how, groups, text) for text in texts if (groups := occurrence(text, how)))


def with_synonyms(tokens: Sequence[Token], lexicon: Lexicon) -> tuple[Term, ...]:
    """Original terms of a query; those that a member of a group covers have the other members as forms."""
    found = lexicon.synonyms.find(tokens)
    return query_terms(tokens, [(start, end, forms("synonym", others)) for start, end, others in found])


def translated(tokens: Sequence[Token], lexicon: Lexicon) -> tuple[Term, ...]:
    """The query's words as they may stand in the other language: translations, and what is written alike in all.

    Letters and numbers stay as written as well, Han words do not; English words that the dictionary knows together
    (``new york``) are one term. ``tokens`` should be cut by a dictionary that knows CC-CEDICT's words.
    """
    more = [(start, end, forms("synonym", others)) for start, end, others in lexicon.synonyms.find(tokens)]
    terms: dict[str, Term] = {}
    i = 0
    while i < len(tokens):
        token, step = tokens[i], 1
        if token.key in FUNCTION_WORDS:
            i += 1
            continue
        plain = query_terms([token])[0]
        own: tuple[Form, ...] = ()
        if token.kind == HAN:
            # A lone character is a piece of a name or a particle: it would bring in whatever it can mean.
            known = lexicon.cedict.english(token.key) if lexicon.cedict and len(token.key) > 1 else ()
            texts = known[:_TO_ENGLISH]
        else:
            own = plain.forms
            step, texts = _chinese(lexicon.cedict, tokens, i) if lexicon.cedict else (1, ())
        shared = [f for start, end, fs in more if start <= i and i + step <= end for f in fs]
        if texts:
            own = tuple(form._replace(share=_ORDINARY) for form in own)
        every = (*own, *shared, *forms("translation", texts))
        if every:
            name = " ".join(t.key for t in tokens[i : i + step])
            terms.setdefault(name, Term(name, plain.kind, every))
        i += step
    return tuple(terms.values())


def _chinese(cedict: Cedict, tokens: Sequence[Token], i: int) -> tuple[int, tuple[str, ...]]:
    """How many tokens are translated together, and by what: single characters mean too much and are left out."""
    words = [t.key for t in takewhile(lambda t: t.kind != HAN, tokens[i : i + _PHRASE])]
    for n in range(len(words), 0, -1):
        head = "".join(f"{word} " for word in words[: n - 1])
        derived = () if head else ("~" + stem(words[0]),)  # participation, where only participate is glossed
        for base in (*base_forms(words[n - 1]), *derived):
            if found := cedict.chinese(head + base):
                return n, tuple(word for word, _ in found if len(word) > 1)[:_TO_CHINESE]
    return 1, ()


def translatable(query: str, segmenter: Segmenter, lexicon: Lexicon) -> tuple[Term, ...]:
    """:func:`translated` for a text: a Han word without an entry is cut again, down to words that have one."""
    folded = index_key(query)
    unknown: set[str] = set()
    while True:
        tokens = segmenter.segment(folded, unknown)
        if lexicon.cedict is None:
            return translated(tokens, lexicon)
        more = {t.key for t in tokens if t.kind == HAN and len(t.key) > 1 and not lexicon.cedict.english(t.key)}
        if not more:
            return translated(tokens, lexicon)
        unknown |= more
