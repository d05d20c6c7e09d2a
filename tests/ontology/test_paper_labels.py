"""Every label of the two papers is somewhere in the table, and every IRI of the table is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from paper_labels import labels

from oam_rdf.namespaces import SCHEMES
from oam_rdf.ontology import Ontology

PAPERS = {"oam": "operator-assisted-memory.txt", "wiki": "llm-wiki-hybrid-retrieval.txt"}
LINES = (Path(__file__).parent / "paper_labels.tsv").read_text(encoding="utf-8").splitlines()
ROWS = [tuple(line.split("\t")) for line in LINES if not line.startswith("#")][1:]


def test_the_table_is_a_table() -> None:
    assert len(ROWS) >= 300 and all(len(row) == 5 and all(row) for row in ROWS)
    assert sum(row[3] != "-" for row in ROWS) >= 120
    assert not [key for key, count in Counter(row[:2] for row in ROWS).items() if count > 1]


@pytest.mark.parametrize("paper", PAPERS)
def test_no_label_of_a_paper_is_missing(shared: Path, paper: str) -> None:
    found = labels((shared / "spec" / "seeds" / PAPERS[paper]).read_text(encoding="utf-8"), paper)
    assert len(found) > {"oam": 280, "wiki": 30}[paper]
    listed = {label for name, label, *_ in ROWS if name == paper}
    assert not found.keys() - listed, "a label without a row"
    assert not listed - found.keys(), "a row whose label the paper does not have"


def test_every_iri_of_the_table_exists_and_is_in_its_scheme() -> None:
    ontology = Ontology.load()
    for _, label, _, iris, scheme in ROWS:
        for iri in iris.split() if iris != "-" else ():
            if iri.startswith("https://w3id.org/oam/"):
                assert iri in ontology.concepts or iri in ontology.terms, label
            concept = ontology.concepts.get(iri)
            assert (concept.scheme if concept else "") == (scheme if scheme in SCHEMES else ""), label


def test_labels_written_like_notations_are_understood_where_they_stand() -> None:
    ontology = Ontology.load()
    for _, label, _, iri, scheme in ROWS:
        if scheme in SCHEMES and label.isupper() and " " not in iri and len(label) > 3:
            concept = ontology.concept(scheme, label)
            assert concept is None or concept.iri == iri, label
        if scheme.startswith("relation") and "_" in label:
            assert ontology.relations[label].iri == iri and ontology.relations[label].inverse == ("inverse" in scheme)


def test_a_new_label_would_be_found() -> None:
    text = "# 1. X ```text NEW_STATE brand_new ``` and VERSION.SIDEWAYS, `half_open` ```json { \"odd_key\": \"ODD\" } ```"
    assert set(labels(text, "oam")) == {"NEW_STATE", "brand_new", "VERSION.SIDEWAYS", "half_open", "odd_key", "ODD"}
    assert set(labels(text, "oam").values()) == {"1"}
