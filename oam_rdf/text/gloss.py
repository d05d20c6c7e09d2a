"""English glosses of a Chinese dictionary, and English words that ask for one.

A gloss is an explanation for people (``to run (a race); CL:次[ci4]``); what serves retrieval are its content words.
"""

from __future__ import annotations

import re
from functools import lru_cache

_BRACKETS = re.compile(r" ?\([^()]*\)|\[[^\]]*\]")
_NO_GLOSS = re.compile(
    r"(?:(?:old|erhua|archaic|Japanese|dialectal|ancient|Taiwan|euphemistic|popular|nonstandard) )?variant of|"
    r"see |CL:|used |surname |abbr\. |also (?:written|pr|called|known)|(?:Taiwan|Tw|PRC|Beijing) pr|pr\. |same as |equal to |"
    r"erroneous|lit\.|fig\.|contraction|component|radical|Kangxi|one of |formerly|classifier|prefix|suffix|particle|"
    r"interjection|onom|short for|transliteration|phonetic|measure word"
)
_ARTICLE = re.compile(r"(?:to be |to |an? |the )(?=\w)", re.IGNORECASE)
_PLACE = re.compile(
    r"([A-Z][\w'-]*(?: [A-Z][\w'-]*)?)(?: or [A-Z]\w*)?,? (?:special |autonomous |capital |major )*"
    r"(?:city|county|province|district|township|prefecture|municipality|river|lake|islands?|mountains?|dynasty|town|village|"
    r"region|peninsula)\b"
)
_TOKEN = re.compile(r"[a-z0-9]+(?:[-'.&][a-z0-9]+)*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: English words that say nothing by themselves.
FUNCTION_WORDS = _words(
    "a an and are as at be been being but by can could did do does for from had has have he her him his how i if in into is "
    "it its itself many may me might more most much must my no not of off on one's oneself or our out over shall she "
    "should so some such than that the their them then there these they this those to too under up upon us very was we were "
    "what when where which while who whom whose why will with would you your sb sth etc e.g i.e"
)
_MOST_WORDS = 3  # of a gloss: a longer one is an explanation, not a translation
_IRREGULAR = dict(
    pair.split(":")
    for pair in _words(
        "became:become began:begin begun:begin bought:buy broke:break broken:break brought:bring built:build came:come "
        "caught:catch children:child chose:choose chosen:choose cities:city died:die dying:die drawn:draw drew:draw "
        "drove:drive driven:drive fallen:fall feet:foot fell:fall fought:fight found:find gave:give given:give gone:go "
        "got:get grew:grow grown:grow held:hold hidden:hide kept:keep knew:know known:know laid:lay led:lead left:leave "
        "lost:lose lying:lie made:make meant:mean men:man met:meet mice:mouse paid:pay people:person ran:run risen:rise "
        "rose:rise said:say sang:sing saw:see seen:see sent:send shot:shoot shown:show sold:sell spent:spend spoke:speak "
        "spoken:speak stolen:steal stood:stand sung:sing taken:take taught:teach teeth:tooth thought:think threw:throw "
        "thrown:throw told:tell took:take understood:understand went:go women:woman won:win wore:wear worn:wear "
        "written:write wrote:write criteria:criterion phenomena:phenomenon theses:thesis hypotheses:hypothesis "
        "axes:axis analyses:analysis indices:index vertices:vertex matrices:matrix"
    )
)


def clean(glosses: str) -> list[str]:
    """Content words of the glosses of an entry (``to run/a race; a contest``), casefolded, each once, in order.

    Of a name that is explained (``Warsaw, capital of Poland``) only the name is kept; what refers to another entry, or
    is longer than three words, is dropped.

    >>> clean("Warsaw, capital of Poland/to fight (a war); to struggle/surname Wang/CL:場|场[chang3]")
    ['warsaw', 'fight', 'struggle']
    """
    found: dict[str, None] = {}
    text = _BRACKETS.sub("", _BRACKETS.sub("", glosses)) if "(" in glosses or "[" in glosses else glosses
    for part in text.replace(";", "/").split("/"):
        gloss = part.strip()
        if not gloss or not gloss.isascii() or _NO_GLOSS.match(gloss):
            continue
        gloss = _ARTICLE.sub("", gloss, count=1) if _ARTICLE.match(gloss) else gloss
        if place := _PLACE.match(gloss):
            gloss = place[1]  # Taoyuan city and county in Taiwan
        elif "," in gloss:
            gloss = gloss.partition(",")[0]
        words = [w for w in _TOKEN.findall(gloss.lower()) if w not in FUNCTION_WORDS]
        if 1 <= len(words) <= _MOST_WORDS:
            found[" ".join(words)] = None
    return list(found)


@lru_cache(maxsize=1 << 14)
def base_forms(word: str) -> tuple[str, ...]:
    """An English word (casefolded) and what it may be an inflection of, likeliest first.

    Dictionaries list base forms; a wrong guess finds no entry and does no harm.

    >>> base_forms("theories")[:2], base_forms("planned")[:3], base_forms("wrote")
    (('theories', 'theory'), ('planned', 'plan', 'plann'), ('wrote', 'write'))
    """
    found = [word]
    if word in _IRREGULAR:
        found.append(_IRREGULAR[word])
    elif word.isalpha() and len(word) > 3:
        for ending in ("ing", "ed", "er", "est"):
            root = word.removesuffix(ending)
            if root != word and len(root) > 2:
                if root[-1] == root[-2] and root[-1] not in "ls":
                    found.append(root[:-1])
                found += [root, root + "e"]
                if root[-1] == "i":
                    found.append(root[:-1] + "y")
        if word.endswith("ies"):
            found.append(word[:-3] + "y")
        elif word.endswith("es"):
            found += (
                [word[:-2], word[:-1]]
                if word[:-2].endswith(("s", "x", "z", "ch", "sh", "o"))
                else [word[:-1], word[:-2]]
            )
        elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
            found.append(word[:-1])
        if word.endswith("ly"):
            found.append(word[:-2])
    return tuple(dict.fromkeys(found))
