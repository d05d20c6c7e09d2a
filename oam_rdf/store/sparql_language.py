"""Language tags in serialised answers, in the case people write them.

Oxigraph stores ``zh-Hant`` as ``zh-hant``. Tags compare without regard to case (RFC 5646 §2.1.1), so the stored form is
no error, but a reader expects ``zh-Hant``. Each format is rewritten where its grammar puts a tag and nowhere else: text
that merely looks like a tag is left alone. What ``LANG()`` returns is a string like any other and stays as stored.
"""

from __future__ import annotations

import re

_TAGS = {
    # A quote inside a JSON string is always escaped, so these bytes are a key and its value.
    "json": re.compile(rb'("xml:lang":")([a-z0-9-]+)'),
    "jsonld": re.compile(rb'("@language":")([a-z0-9-]+)'),
    # "<" is always escaped in XML text and attributes, so these bytes lie in a start tag.
    "xml": re.compile(rb'(<[^<>]*\sxml:lang=")([a-z0-9-]+)'),
}
_TAGS["rdfxml"] = _TAGS["xml"]
# A string or an IRI as one token, so that what looks like a tag inside either is passed over.
_TERMS = re.compile(rb'("""(?:"{0,2}(?:[^"\\]|\\.))*+"""@|"(?:[^"\\\n]|\\.)*+"@?|<[^<>\n]*>)([a-z0-9-]*)', re.DOTALL)
_COMPOUND = re.compile(rb'["@][a-z]+-')


def bcp47(tag: str) -> str:
    """The recommended case of a language tag: ``zh-hant-tw`` → ``zh-Hant-TW``; after a singleton all is lower case."""
    subtags = tag.lower().split("-")
    for index, subtag in enumerate(subtags[1:], 1):
        if len(subtag) == 1:
            break
        if len(subtag) == 4 and subtag.isalpha():
            subtags[index] = subtag.title()
        elif len(subtag) == 2 and subtag.isalpha():
            subtags[index] = subtag.upper()
    return "-".join(subtags)


def restore_case(body: bytes, fmt: str) -> bytes:
    """``body`` (UTF-8, as Oxigraph wrote it in the format named ``fmt``) with its tags in BCP-47 case."""
    if fmt == "csv" or not _COMPOUND.search(body):
        return body
    return _TAGS.get(fmt, _TERMS).sub(_recase, body)


def _recase(match: re.Match[bytes]) -> bytes:
    before, tag = match[1], match[2]
    if b"-" not in tag or before[-1:] not in (b"@", b'"'):
        return match[0]
    return before + bcp47(tag.decode("ascii")).encode("ascii")
