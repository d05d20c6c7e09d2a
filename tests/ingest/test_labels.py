"""Labels of statements: the role that a counterexample or a critique has by its own word."""

from __future__ import annotations

import pytest

from oam_rdf.ingest import profiles
from oam_rdf.ingest.parse import parse


@pytest.mark.parametrize(
    ("label", "kind", "roles", "id"),
    [
        ("Counterexample 2", "", ("COUNTEREXAMPLE",), "Counterexample 2"),
        ("反例 3", "", ("COUNTEREXAMPLE",), "反例 3"),
        ("Critique 1", "CRITIQUE", ("CRITIQUE",), "Critique 1"),
        ("Objection 4", "CRITIQUE", ("CRITIQUE",), "Objection 4"),
        ("批判 C5", "CRITIQUE", ("CRITIQUE",), "C5"),
        ("Theorem 6", "THEOREM", (), "Theorem 6"),
        ("Definition 7", "DEFINITION", (), "Definition 7"),
    ],
)
@pytest.mark.parametrize("form", ["**{}.** It says this and that.", "## {}: It says this\n\nAnd that as well."])
def test_a_label_gives_its_role(label: str, kind: str, roles: tuple[str, ...], id: str, form: str) -> None:
    document = parse(f"# T\n\n{form.format(label)}\n".encode(), "a.md", profiles.load("default"))
    (item,) = (item for item in document.objects if item.author_id)
    assert (item.kind, item.roles, item.id) == (kind, roles, id)


def test_a_role_that_is_stated_too_is_there_once() -> None:
    text = "# T\n\n**Counterexample 1.** It fails.\n\n- role:: counterexample, hypothesis\n"
    document = parse(text.encode(), "a.md", profiles.load("default"))
    assert [o.roles for o in document.objects if o.author_id] == [("COUNTEREXAMPLE", "HYPOTHESIS")]
