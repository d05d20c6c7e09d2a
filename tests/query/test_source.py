"""Sources, differences and what an edited document said before."""

from __future__ import annotations

import pytest
from pyoxigraph import Store
from query_world import MINTER, World, said

from oam_rdf.errors import Damaged, NotFound, UsageError
from oam_rdf.ingest.history import History
from oam_rdf.ontology import Ontology
from oam_rdf.query.diff import diff
from oam_rdf.query.navigate import navigate
from oam_rdf.query.redact import shown_text
from oam_rdf.query.search import search
from oam_rdf.query.snapshot import Snapshot
from oam_rdf.query.source import source
from oam_rdf.query.versions import chain
from oam_rdf.store.codec import Codec
from oam_rdf.store.layout import Layout

EARLY, MIDDLE, LATE = "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z", "2026-07-01T00:00:00.5Z"


def test_the_exact_characters_with_context(world: World) -> None:
    sha = world.add("D", said("H", "地圖只需四色 🌟。"), "Another paragraph.", title="四色", language="zh-Hant")
    view = source(world.snapshot(), "d#h", context=5)
    (quote,) = view.quotes
    assert quote.exact == "地圖只需四色 🌟。" == world.texts["D"][quote.start : quote.end]
    assert quote.prefix == "四色\n\n"[-5:] or world.texts["D"][quote.start - 5 : quote.start] == quote.prefix
    assert quote.suffix == "\n\nAno" and quote.line == 3
    assert (view.original, view.intact, view.matches, view.path) == (sha, True, True, "D.md")
    whole = source(world.snapshot(), "D").quotes[0]
    assert whole.exact == world.texts["D"]
    assert source(world.snapshot(), f"sha256-{sha}").quotes[0].exact == world.texts["D"]


def test_an_altered_original_is_seen(world: World) -> None:
    sha = world.add("D", said("H", "As it was."))
    snapshot = world.snapshot()
    path = next((world.root / "originals").rglob(f"{sha}*"))
    path.write_bytes(path.read_bytes().replace(b"was", b"is!"))
    view = source(snapshot, "D#H")
    assert view.intact is False and view.matches is False
    answer = search(Snapshot(world.root, snapshot.generation), "was")  # nowhere else is it shown at all
    assert "altered" in answer.degraded["originals"]
    assert all("is!" not in result.snippet for result in answer.results)
    assert answer.verdict != "UNANSWERABLE_FROM_CORPUS"
    path.write_bytes(b"short")
    other = Snapshot(world.root, snapshot.generation)
    world.opened.append(other)
    with pytest.raises(Damaged, match="outside its Original"):
        source(other, "D#H")


def test_no_span_says_why(world: World) -> None:
    world.add("J", said("KO-1", "Inline."), inline=True)
    view = source(world.snapshot(), "J#KO-1")
    assert view.quotes == () and view.no_source == "no offsets"
    with pytest.raises(UsageError):
        source(world.snapshot(), "J", context=-1)


def test_hidden_stretches_leave_no_mark() -> None:
    text = "abcdefghij"
    assert shown_text(text, 0, 10, [(2, 4), (4, 6)]) == "abghij"
    assert shown_text(text, 3, 8, [(0, 5)]) == "fgh"
    assert shown_text(text, 3, 8, [(5, 99)]) == "de"
    assert shown_text(text, 3, 8, [(0, 3), (8, 9)]) == "defgh"


@pytest.fixture
def edited(world: World) -> World:
    """D is ingested early and edited late; one of five statements changes. E comes late."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    old = world.add("D", *(said(f"H{i}", f"The {w} body moves slowly.") for i, w in enumerate(words)), committed=EARLY)
    codec = Codec(MINTER, Ontology.load())
    before = list(codec.encode(world.documents["D"], [], root="test").quads())
    world.old_text = world.texts["D"]  # type: ignore[attr-defined]
    words[1] = "beta"
    changed = [f"The {w} body moves slowly." for w in words]
    changed[1] = "The beta body moves very quickly."
    world.add("D", *(said(f"H{i}", text) for i, text in enumerate(changed)), committed=LATE)
    world.add("E", "A later body moves too.", committed=LATE)
    world.add("F", "A first body that was never edited.", committed=EARLY)
    after = codec.encode(world.documents["D"], [], root="test").quads()
    history = History(Layout(world.root), MINTER)
    history.keep("D", before, after, original=old, committed_from=EARLY, committed_until=LATE, previous="",
                 visibility="PUBLIC")  # fmt: skip
    history.store.flush()
    return world


def test_as_of_before_an_edit_gives_the_old_text(edited: World) -> None:
    snapshot = edited.snapshot()
    now = search(snapshot, "beta body quickly")
    assert now.results[0].id == "D#H1" and "quickly" in now.results[0].snippet
    then = search(snapshot, "beta body slowly", as_of=MIDDLE)
    first = then.results[0]
    assert (first.id, first.granularity, first.epistemic_state) == ("D#H1", "STATEMENT", "SOURCE_CLAIM")
    assert first.historical is not None and "The beta body moves slowly." in first.snippet
    assert first.span is not None
    old_text: str = edited.old_text  # type: ignore[attr-defined]
    assert old_text[first.span.start : first.span.end].strip() == first.snippet
    assert "quickly" not in " ".join(r.snippet for r in then.results)
    documents = {r.document for r in search(snapshot, "body moves first", as_of=MIDDLE, k=50).results}
    assert documents == {"D", "F"}  # E was not there yet
    assert {r.document for r in search(snapshot, "body moves first", k=50).results} == {"D", "E", "F"}
    assert then.certificate["as_of"]["meaning"] == ["validity", "commit time"]
    assert any("old text" in s["text"] for s in then.explanation("en"))


def test_a_named_object_that_was_not_there_yet_is_not_given(edited: World) -> None:
    edited.add("DOC-77", "A document of the late commit.", committed=LATE)
    snapshot = edited.snapshot()
    assert search(snapshot, "DOC-77").results[0].id == "DOC-77"
    early = search(snapshot, "DOC-77", as_of=MIDDLE)
    assert early.results == () and early.verdict == "VERSION_CONFLICT"


def test_a_time_before_all_commits_can_only_mean_validity(edited: World) -> None:
    answer = search(edited.snapshot(), "beta body", as_of="1999-01-01")
    assert answer.certificate["as_of"]["meaning"] == ["validity"] and len(answer.results) > 0


def test_one_change_in_five(edited: World) -> None:
    snapshot = edited.snapshot()
    found = diff(snapshot, "D")
    assert (found.count("changed"), found.count("added"), found.count("removed")) == (1, 0, 0)
    (change,) = found.changes
    assert change.old == "The beta body moves slowly." and change.new == "The beta body moves very quickly."
    assert edited.texts["D"][change.new_start : change.new_end] == change.new
    (edit,) = chain(snapshot, "D").edits
    assert (edit.committed_from, edit.committed_until) == (EARLY, "2026-07-01T00:00:00.500000Z")
    again = diff(snapshot, edit.version, "D")
    assert again.to_json() == found.to_json()
    with pytest.raises(NotFound, match="no earlier text"):
        diff(snapshot, "F")


def test_a_hidden_part_hides_the_old_text(edited: World) -> None:
    """The old Original is one file: who may not see all of the document may not see that."""
    document = edited.documents["D"]
    from dataclasses import replace

    objects = tuple(replace(o, visibility="INTERNAL") if o.id == "H3" else o for o in document.objects)
    edited.documents["D"] = replace(document, objects=objects)
    generation = edited.publish()
    snapshot = edited.snapshot("PUBLIC", generation)
    for name in ("D", "D#H1"):
        assert navigate(snapshot, name, "VERSION.EARLIER").nodes == () and chain(snapshot, name).edits == ()
        with pytest.raises(NotFound, match="no earlier text"):
            diff(snapshot, name)
        assert len(navigate(edited.snapshot("INTERNAL", generation), name, "VERSION.EARLIER").nodes) == 1
    public = search(snapshot, "beta delta body slowly", as_of=MIDDLE)
    assert all(r.historical is None and "delta" not in r.snippet for r in public.results)
    assert any(r.historical for r in search(edited.snapshot("INTERNAL", generation), "beta", as_of=MIDDLE).results)


def test_two_documents_compared(world: World) -> None:
    world.add("A", "Planets move in circles.", "The sun stands still.", "Comets are vapours.")
    world.add("B", "Planets move in ellipses.", "The sun stands still.", "Moons have moons of their own.")
    snapshot = world.snapshot()
    found = diff(snapshot, "A", "B")
    kinds = {(c.kind, c.old, c.new) for c in found.changes}
    assert ("changed", "Planets move in circles.", "Planets move in ellipses.") in kinds
    assert ("removed", "Comets are vapours.", "") in kinds and ("added", "", "Moons have moons of their own.") in kinds
    assert diff(snapshot, "A", "A").changes == () and diff(snapshot, "A", "A").unchanged == 4
    with pytest.raises(UsageError, match="is no document and no statement"):
        diff(snapshot, "A#sec-1", "B")


def test_history_is_outside_the_published_store(edited: World) -> None:
    snapshot = edited.snapshot()
    assert isinstance(snapshot.store, Store) and snapshot.history is not None
    assert not any("@" in str(q.subject) for q in snapshot.store.quads_for_pattern(None, None, None))
