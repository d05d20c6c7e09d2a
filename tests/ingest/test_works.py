"""External works of reference lists: which items count, and how their identifiers are written."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse
from oam_rdf.ingest.works import arxiv_of, doi_of, is_full, is_list
from oam_rdf.model import ParsedDocument
from oam_rdf.namespaces import DCTERMS, OAM, RDF
from oam_rdf.ontology import Ontology
from oam_rdf.store.codec import Codec
from oam_rdf.store.minter import Minter
from oam_rdf.store.shacl import Validator

LIST = """# T

See doi:10.1000/inline and (Smith, 2001).

## References

1. Smith, J. (2001). *On Order*. Journal of Things, 4, 1–9. https://doi.org/10.1000/ABC(1).
2. Jones, K. *Trees*. arXiv:2405.16506v2.
3. Jones, K. *Trees*, again. https://arxiv.org/abs/2405.16506
4. 王明（1999）。《論秩序》。台北：無名出版社。
5. See [[Other document]], 2001, with care, at length.
6. Private mail.

   A second paragraph: 10.5555/second.

### Notes

[1] Brown, A., "Late Works," 1975.
[2] nothing to see

## After

- Green, B. (1980). *Not in the list*. Press.
"""


def read(text: str, path: str = "doc.md", profile: str = "default") -> ParsedDocument:
    return parse(text.encode(), path, profiles.load(profile))


def test_items_with_identifiers_or_full_references() -> None:
    document = read(LIST)
    assert [(w.doi, w.arxiv, w.line) for w in document.works] == [
        ("10.1000/abc(1)", "", 7), ("", "2405.16506", 8), ("", "", 10), ("10.5555/second", "", 12), ("", "", 18),
    ]  # fmt: skip
    assert document.works[2].citation == "王明（1999）。《論秩序》。台北：無名出版社。"
    for work in document.works:
        assert work.span is not None
        assert work.citation == " ".join(LIST[work.span.start : work.span.end].split())
        assert work.id.startswith("work-") and len(work.id) == 15


def test_footnotes_and_citations_of_restructuredtext() -> None:
    text = (
        "T\n=\n\nText [1]_.\n\nReferences\n==========\n\n.. [1] Smith, J. (2001). \"On Order\". Press.\n"
        "   https://example.org\n.. [2] PEP 8, Style, 2001, and more\n   of it.\n.. [KNU] Knuth, D. https://doi.org/10.1000/KNU\n"
    )  # fmt: skip
    works = parse(text.encode(), "a.rst", profiles.load("peps")).works
    assert [w.citation for w in works] == [
        'Smith, J. (2001). "On Order". Press. https://example.org', "Knuth, D. https://doi.org/10.1000/KNU",
    ]  # fmt: skip
    assert works[1].doi == "10.1000/knu"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("References", True), ("12. References", True), ("References and Footnotes", True), ("Bibliography", True),
        ("參考文獻", True), ("参考文献", True), ("九、引用文獻", True), ("# 參考文獻與官方技術資料", False),
        ("參考文獻與官方技術資料", True), ("Reference Implementation", False), ("References to objects", False),
        ("Works Cited", True), ("參考實作", False),
    ],
)  # fmt: skip
def test_titles_of_reference_lists(title: str, expected: bool) -> None:
    assert is_list(title) is expected


@pytest.mark.parametrize(
    ("text", "doi", "arxiv"),
    [
        ("doi: 10.1000/XyZ.", "10.1000/xyz", ""),
        ("<https://dx.doi.org/10.1016/S0020-0190(03)00382-X>", "10.1016/s0020-0190(03)00382-x", ""),
        ("(see 10.1000/x)", "10.1000/x", ""),
        ("[x](https://doi.org/10.1000/a%2Fb)", "10.1000/a/b", ""),
        ("DOI：10.1000/甲。", "10.1000/甲", ""),
        ("arXiv:math.GT/0309136", "", "math.gt/0309136"),
        ("https://arxiv.org/pdf/2501.07793v3.pdf", "", "2501.07793"),
        ("https://doi.org/10.48550/arXiv.2404.16130", "10.48550/arxiv.2404.16130", "2404.16130"),
        ("version 10.2/3 of arXiv", "", ""),
    ],
)
def test_identifiers_are_normalised(text: str, doi: str, arxiv: str) -> None:
    assert (doi_of(text), arxiv_of(text)) == (doi, arxiv)


def test_a_work_named_in_two_ways_is_one() -> None:
    document = read("# T\n\n## References\n\n- arXiv:2404.16130\n- https://doi.org/10.48550/arXiv.2404.16130\n")
    assert len(document.works) == 1


def test_what_is_no_full_reference() -> None:
    assert not is_full("Talk to the editors about it in 2001")
    assert not is_full("本文為第一輪重構系列應用論文，優先建立系列索引。")
    assert is_full('Knuth, D., "Literate Programming," 1984.')


def test_a_work_is_encoded_cited_valid_and_no_knowledge_object() -> None:
    document = read(LIST)
    quads = list(Codec(Minter("http://oam.localhost/"), Ontology.load()).encode(document, (), root="x").quads())
    cites = [
        q.object
        for q in quads
        if q.predicate.value == OAM + "cites" and q.subject == NamedNode("http://oam.localhost/doc/T")
    ]
    assert len(cites) == len(document.works) == 5
    work = NamedNode(f"http://oam.localhost/doc/T#{document.works[0].id}")
    assert work in cites
    said = {(q.predicate.value, q.object) for q in quads if q.subject == work}
    assert said == {
        (RDF + "type", NamedNode(OAM + "ExternalWork")), (OAM + "doi", Literal("10.1000/abc(1)")),
        (DCTERMS + "bibliographicCitation", Literal(document.works[0].citation)),
    }  # fmt: skip
    report = Validator().validate("\n".join(f"{q.subject} {q.predicate} {q.object} ." for q in quads))
    assert not report.results


def test_the_paper_cites_seventeen_works(shared: Path) -> None:
    data = (shared / "spec" / "seeds" / "operator-assisted-memory.txt").read_bytes()
    works = parse(data, "operator-assisted-memory.txt", profiles.load("pldst")).works
    assert len(works) == 17
    assert sum(bool(work.arxiv) for work in works) == 5 and works[1].arxiv == "2405.16506"
