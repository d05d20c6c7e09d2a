"""``oam search --interactive``, driven by lines on its standard input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oam_rdf.errors import UsageError
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


ROUND = "VERSION.LATER\n1\nVERSION.EARLIER\n1\n"


def test_going_to_and_fro_is_flagged_with_the_cycle_and_ways_out(oam: Any) -> None:
    text = oam("search", "ORBIT-3", "--interactive", input="1\n" + ROUND * 2 + "VERSION.LATER\nq\n").stdout
    told, flagged = text.split("to and fro between opposite directions")[1:][-2:]
    assert "repeat 1: ORBIT-4 VERSION.EARLIER → ORBIT-3 VERSION.LATER" in told and "ways out" not in told
    assert "repeat 2: ORBIT-3 VERSION.LATER → ORBIT-4 VERSION.EARLIER" in flagged
    assert "ways out:" in flagged and "SOURCE.BACK" in flagged.partition("ways out:")[2]
    hant = oam("search", "ORBIT-3", "--interactive", "--ui", "zh-Hant", input="1\n" + ROUND * 2 + "VERSION.LATER\n")
    assert "足跡在相反方向間來回" in hant.stdout and "第 2 次重複" in hant.stdout


def test_looking_around_is_not_flagged(oam: Any, sample: KnowledgeBase) -> None:
    ways = [name for name, _ in sample.card("ORBIT-3").directions]
    lines = "".join(f"{way}\nb\n" for way in ways)
    text = oam("search", "ORBIT-3", "--interactive", input=f"1\n{lines}s ORBIT-4\n1\nVERSION.EARLIER\nq\n").stdout
    assert len(ways) > 2 and "repeat" not in text


def test_a_trail_goes_on_over_sessions_and_questions(oam: Any, tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    for number in range(3):
        text = oam("search", "ORBIT-3", "--interactive", "--trail", str(file), input="1\nVERSION.LATER\nq\n").stdout
        assert ("repeat" in text, "ways out" in text) == (number > 0, number > 1)
    assert len(file.read_text("utf-8").splitlines()) == 3
    ask = "1\nCRITIQUE.OPPOSING\ns ORBIT-3\n"
    text = oam("search", "ORBIT-3", "--interactive", input=ask * 3 + "q\n").stdout
    assert text.count("leads nowhere") == 3 and "ways out" in text  # what leads nowhere is a step as well
    with pytest.raises(UsageError, match="only walks are kept"):
        oam("search", "ORBIT-3", "--trail", "x")


def test_a_trail_that_cannot_be_kept_stops_nobody(oam: Any, tmp_path: Path) -> None:
    file = tmp_path / "trail.jsonl"
    file.write_text("no step\n", "utf-8")
    text = oam(
        "search", "ORBIT-3", "--interactive", "--trail", str(file), input="1\nVERSION.LATER\nb\nVERSION.LATER\nq\n"
    ).stdout
    assert text.count("not a step of a trail") == 1 and text.count("1. ORBIT-4") == 2
