"""``oam search --interactive``, driven by lines on its standard input."""

from __future__ import annotations

from typing import Any

from oam_rdf.knowledge_base import KnowledgeBase


def test_open_walk_back_and_search_again(oam: Any) -> None:
    lines = ["1", "VERSION.EARLIER", "1", "b", "b", "s Euler conjecture", "1", "q", "1"]
    flags = ("--granularity", "document", "--route", "sparse_only")
    text = oam("search", "燃素", *flags, "--interactive", input="\n".join(lines)).stdout
    views = text.split("trail: ")[1:]
    assert len(views) == 8  # answer, card, walk, card, two steps back, answer, card; nothing after q
    assert "substituted for COMBUSTION-1" in views[0]
    assert "leads on:" in views[1] and "VERSION.EARLIER" in views[1] and "supersedes → COMBUSTION-1" in views[1]
    assert "COMBUSTION-2 → VERSION.EARLIER" in views[2] and "1. COMBUSTION-1" in views[2]
    assert views[3].startswith("“燃素” › COMBUSTION-2 › VERSION.EARLIER › COMBUSTION-1")
    assert "superseded by COMBUSTION-2" in views[3]
    assert views[4].startswith("“燃素” › COMBUSTION-2 › VERSION.EARLIER\n")
    assert views[5].startswith("“燃素” › COMBUSTION-2\n")
    assert views[6].startswith("“Euler conjecture”\n") and views[7].startswith("“Euler conjecture” › ")


def test_the_directions_shown_are_those_that_lead_somewhere(oam: Any, sample: KnowledgeBase) -> None:
    card = sample.card("ORBIT-3")
    assert dict(card.directions)["VERSION.LATER"] == 1 and dict(card.directions)["VERSION.EARLIER"] == 1
    for name, count in card.directions:
        assert len(sample.navigate("ORBIT-3", name, steps=1).nodes) == count > 0
    number = [name for name, _ in card.directions].index("VERSION.LATER") + 1
    text = oam("search", "ORBIT-3", "--interactive", input=f"1\nd{number}\nd99\nCRITIQUE.OPPOSING\n").stdout
    assert f"d{number} VERSION.LATER later version (1)" in text
    assert "ORBIT-3 → VERSION.LATER" in text and "1. ORBIT-4" in text
    assert "There is no number d99." in text and "CRITIQUE.OPPOSING leads nowhere." in text


def test_a_loop_is_noticed(oam: Any) -> None:
    lines = "1\nVERSION.LATER\n1\nVERSION.EARLIER\n1\n"
    text = oam("search", "ORBIT-3", "--interactive", input=lines).stdout
    assert text.splitlines()[0].startswith("trail:") and text.count("been here before") == 1


def test_wrong_input_is_answered_and_the_end_of_input_ends_it(oam: Any) -> None:
    done = oam("search", "--interactive", "--ui", "zh-Hant", input="7\nb\n胡言\ns ORBIT-3\n99\n?\n")
    assert done.exit_code == 0
    for text in ("沒有第 7 項。", "已在起點。", "不懂「胡言」。", "沒有第 99 項。", "編號＝開啟"):
        assert text in done.stdout, text


def test_errors_are_said_and_the_conversation_goes_on(oam: Any) -> None:
    done = oam("search", "x", "--interactive", "--route", "NO_SUCH", input="s y\nq\n")
    assert done.exit_code == 0 and done.stdout.count("unknown route") == 2


def test_numbers_follow_the_offset(oam: Any) -> None:
    text = oam("search", "planets", "-k", "2", "--offset", "1", "--interactive", input="1\n2\n").stdout
    assert "There is no number 1." in text and len(text.split("trail: ")) == 3


def test_directions_by_name_and_by_their_beginning(oam: Any) -> None:
    text = oam(
        "search", "ORBIT-3", "--interactive", input="VERSION.EARLIER\n1\nversion.e\n1\nversion.lates\nq\n"
    ).stdout
    assert "Open a result by its number first, then walk VERSION.EARLIER." in text
    assert "ORBIT-3 → VERSION.EARLIER" in text and "ORBIT-2 → VERSION.LATEST" in text


def test_what_may_mean_several_or_nothing_is_said(oam: Any) -> None:
    text = oam("search", "ORBIT-3", "--interactive", input="1\nversion.\nversion.l\nnonsense\n?\n").stdout
    assert "“version.” may be VERSION.EARLIER, VERSION.LATER, VERSION.LATEST" in text
    assert "“version.l” may be VERSION.LATER, VERSION.LATEST: write more of it." in text
    assert "“nonsense” is none of these." in text
    help_at = text.rindex("NUMBER opens")
    assert "d1 " in text[help_at:]  # the directions that lead on, after the help


def test_a_long_line_is_not_repeated(oam: Any) -> None:
    text = oam("search", "--interactive", input="x" * 5000 + "\ns " + "y " * 3000 + "\nq\n").stdout
    assert "x" * 61 not in text and "y " * 61 not in text
