"""The pipeline over real stores and indexes: substitution, constraints, gate, explanation."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from query_world import World, said

from oam_rdf.errors import Damaged, UsageError
from oam_rdf.index import dense
from oam_rdf.index.vectors import VectorCache
from oam_rdf.query.answer import Answer
from oam_rdf.query.phrases import LANGUAGES, REASONS, TEMPLATES
from oam_rdf.query.plan import Plan
from oam_rdf.query.search import STAGES, replay, search
from oam_rdf.query.snapshot import Snapshot


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


def documents(answer: Answer) -> list[str]:
    return [result.document for result in answer.results]


@pytest.fixture
def breath(world: World) -> World:
    world.add(
        "V1", "呼吸律說宇宙以固定節奏呼吸。", title="宇宙節奏", language="zh-Hant", created="2020-01-01T00:00:00Z"
    )
    world.add(
        "V2", "內感耦合描述身體訊號與注意的關係。", title="身體訊號", language="zh-Hant",
        relations=(("supersedes", "V1"),), created="2024-01-01T00:00:00Z",
    )  # fmt: skip
    return world


def test_words_of_the_old_version_find_the_new_one(breath: World) -> None:
    """Hazard 71: the old is filtered and the new does not match, so nothing is found. Here the head stands in."""
    snapshot = breath.snapshot()
    answer = search(snapshot, "呼吸律")
    (result,) = answer.results
    assert result.id == "V2" and result.version_status == "ACTIVE"
    assert [item["path"] for item in result.substituted_for] == [["V1", "V2"]]
    assert result.graph_path == ("V1", "superseded_by", "V2") and result.scores["graph"] == 0.8
    assert answer.certificate["substitutions"] == [{"old": "V1#sec-1", "path": ["V1", "V2"]}]
    assert answer.verdict == "VERSION_CONFLICT" and answer.verdicts[0]["facts"]["said by"] == ["V1"]
    # The old text's words are not said to be in the new one.
    assert result.matched == () and result.ranks == {}
    assert result.substituted_for[0]["ranks"] == {"lexical": 1}
    then = search(snapshot, "呼吸律", as_of="2022-01-01")
    assert documents(then) == ["V1"] and "呼吸律" in then.results[0].snippet
    assert then.results[0].version_status == "ACTIVE" and then.results[0].successors == ()
    assert documents(search(snapshot, "呼吸律", include_history=True)) == ["V1"]
    assert search(snapshot, "呼吸律", as_of="2010-01-01").results == ()


def test_only_the_head_is_shown_unless_history_is_asked(world: World) -> None:
    """Hazard 72."""
    world.add("V1", "Coupling of breath and attention.")
    world.add("V2", "Coupling of breath and attention, revised.", relations=(("supersedes", "V1"),))
    world.add("V3", "Coupling of breath and attention, final.", relations=(("supersedes", "V2"),))
    snapshot = world.snapshot()
    assert set(documents(search(snapshot, "coupling of breath", k=10))) == {"V3"}
    assert set(documents(search(snapshot, "coupling of breath", include_history=True))) == {"V1", "V2", "V3"}


def test_superseding_one_statement_leaves_the_others(world: World) -> None:
    """Hazard 70."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    world.add("OLD", *(said(f"H{i}", f"The {word} rule holds for planets.") for i, word in enumerate(words)))
    world.add("NEW", said("H", "A refined rule holds for planets."), relations=(("H", "supersedes", "OLD#H1"),))
    snapshot = world.snapshot()
    for word in ("alpha", "gamma", "delta", "epsilon"):
        assert search(snapshot, f"{word} rule").results[0].id == f"OLD#H{words.index(word)}"
    (beta, *_) = search(snapshot, "beta rule").results
    assert beta.id == "NEW#H" and beta.substituted_for[0]["path"] == ["OLD#H1", "NEW#H"]


def test_an_exact_id_gives_that_very_object_with_its_successor(breath: World) -> None:
    answer = search(breath.snapshot(), "V1")
    assert answer.results[0].id == "V1" and answer.results[0].successors == ("V2",)
    assert answer.results[0].version_status == "SUPERSEDED" and answer.verdict == "ANSWERABLE"
    latest = search(breath.snapshot(), "V1 的最新版本")
    assert latest.results[0].id == "V2" and "VERSION_TRACE" in latest.certificate["route"]


def test_a_field_that_is_not_stored(world: World) -> None:
    """Hazard 74: the entity exists and everything looks similar; the field does not exist."""
    world.add("KO-00042", "A claim about knowledge objects.", creators=("Ada", "Bo"))
    snapshot = world.snapshot()
    third = search(snapshot, "KO-00042 的第三位作者是誰？")
    assert third.verdict == "EVIDENCE_INSUFFICIENT"
    assert third.verdicts[0]["facts"] == {"object": "KO-00042", "field": "creator", "number": 3, "stored": 2}
    assert search(snapshot, "KO-00042 的第二位作者是誰？").verdict == "ANSWERABLE"
    assert search(snapshot, "Who wrote KO-00042?").verdict == "ANSWERABLE"
    assert search(snapshot, "When was KO-00042 written?").verdict == "EVIDENCE_INSUFFICIENT"


def test_what_the_query_names_must_be_there(world: World) -> None:
    world.add("KO-00042", "A claim about knowledge objects and their keepers.")
    world.add("KO-00007", "The lattice of states is a partial order.")
    snapshot = world.snapshot()
    missing = search(snapshot, "What does KO-00099 claim about knowledge?")
    assert missing.verdict == "UNANSWERABLE_FROM_CORPUS" and missing.verdicts[0]["facts"]["ids"] == ["KO-00099"]
    quoted = search(snapshot, 'knowledge objects and "quantum foam"')
    assert quoted.verdict == "UNANSWERABLE_FROM_CORPUS" and quoted.verdicts[0]["facts"]["terms"] == ["quantum foam"]
    assert search(snapshot, 'claims on "knowledge objects"').verdict == "ANSWERABLE"
    assert search(snapshot, "what did Zeilberger claim about knowledge").verdict == "UNANSWERABLE_FROM_CORPUS"
    assert search(snapshot, "COVID-19 and knowledge").verdict == "ANSWERABLE"  # no id of this corpus looks so


def test_unknown_words_stop_words_and_nothing(world: World) -> None:
    """Hazard 78: no division by zero, no pin on a word that is everywhere, a defined answer."""
    for name in ("A", "B", "C"):
        world.add(f"DOC-{name}", "關於的研究，以及共同的詞。", language="zh-Hant")
    snapshot = world.snapshot()
    assert search(snapshot, "qwertz zxcvbn").verdict == "UNANSWERABLE_FROM_CORPUS"
    common = search(snapshot, "的")
    assert common.verdict == "ANSWERABLE" and common.certificate["channels"]["lexical"]["pins"] == []
    for empty in ("", "   ", "。！？", "?"):
        answer = search(snapshot, empty)
        assert (answer.results, answer.verdict) == ((), "NO_RETRIEVAL")
        assert answer.verdicts[0]["reason"] == "nothing is asked"
    assert "knowledge base" in search(snapshot, "how many documents are there?").verdicts[0]["reason"]
    assert search(snapshot, "").certificate["route"] == ["NO_RETRIEVAL"]
    assert search(snapshot, "有多少文件？").certificate["route"] == ["NO_RETRIEVAL"]
    assert "NO_RETRIEVAL" not in search(snapshot, "DOC-A status").certificate["route"]


def test_scores_are_raw_and_normalised_and_say_so(world: World) -> None:
    """Hazard 64."""
    world.add("D1", "Planets move in ellipses.")
    world.add("D2", "Planets and moons, said once.")
    first, second = search(world.snapshot(), "planets ellipses").results
    assert first.scores["fused"] == first.scores["sparse"] == 1.0
    assert 0 < second.scores["sparse"] < 1 and first.raw_scores["convex"] <= 1
    assert first.raw_scores["sparse"] > 0 and first.ranks == {"lexical": 1}


@pytest.fixture
def claims(world: World) -> World:
    world.add(
        "D1",
        said("P", "Every map needs four colours, proved.", state="FORMALLY_PROVED", kind="THEOREM"),
        said("Q", "Every map needs four colours, a guess.", state="STRUCTURAL_CONJECTURE", kind="CONJECTURE"),
    )
    world.add("D2", said("R", "地圖只需四色，這是猜想。", state="CONJECTURE"), language="zh-Hant")
    return world


def test_hard_states_are_masks_and_an_empty_answer_gives_its_reason(claims: World) -> None:
    snapshot = claims.snapshot()
    assert ids(search(snapshot, "map colours", states=["FORMALLY_PROVED"])) == ["D1#P"]
    assert ids(search(snapshot, "map colours", only_verified=True)) == ["D1#P"]
    # A narrower state satisfies the broader one; the Chinese conjecture is found by translated words, after the English.
    assert ids(search(snapshot, "map colours", states=["CONJECTURE"])) == ["D1#Q", "D2#R"]
    assert "D1#Q" not in ids(search(snapshot, "map colours", include_conjectures=False))
    empty = search(snapshot, "map colours", states=["REFUTED"])
    assert empty.results == () and empty.verdict == "EVIDENCE_INSUFFICIENT"
    assert empty.verdicts[0]["facts"]["would_have_found"] == 2
    assert empty.certificate["excluded"][0]["reason"] == "state"
    with pytest.raises(UsageError, match="unknown epistemic state"):
        search(snapshot, "map", states=["NO_SUCH_STATE"])
    assert ids(search(snapshot, "map colours", kind="THEOREM")) == ["D1#P"]


def test_current_only_is_never_relaxed(world: World) -> None:
    world.add("OLD", "Ether fills all space.", version_status="HISTORICAL")
    snapshot = world.snapshot()
    assert search(snapshot, "ether").verdict == "VERSION_CONFLICT"  # only history
    empty = search(snapshot, "ether", version="active")
    assert empty.results == () and empty.verdict == "VERSION_CONFLICT"
    assert empty.verdicts[0]["facts"]["removed_by"] == {"version": 1}


def test_granularity_is_the_finest_that_answers_or_the_one_asked(claims: World) -> None:
    snapshot = claims.snapshot()
    assert search(snapshot, "guess").results[0].id == "D1#Q"
    section = search(snapshot, "guess", granularity="section").results[0]
    assert (section.id, section.granularity) == ("D1#sec-1", "SECTION")
    assert ids(search(snapshot, "map colours", granularity="document")) == ["D1", "D2"]
    result = search(snapshot, "guess").results[0]
    assert result.span is not None
    text = claims.texts["D1"][result.span.start : result.span.end]
    assert text == "Every map needs four colours, a guess." == result.snippet
    assert result.source_available and result.scores["provenance"] == 1.0


def test_one_result_per_object(world: World) -> None:
    world.add("D", *(f"The pendulum swings {n} times." for n in range(20)))
    answer = search(world.snapshot(), "pendulum", k=10)
    assert ids(answer) == ["D#sec-1"] and answer.certificate["granularity"]["folded"] == 19


def test_paging_is_stable(world: World) -> None:
    for number in range(30):
        world.add(f"DOC-{number:02d}", f"A page about pendulum {number}.")
    snapshot = world.snapshot()
    whole = ids(search(snapshot, "pendulum", k=30))
    pages = [name for offset in range(0, 30, 7) for name in ids(search(snapshot, "pendulum", k=7, offset=offset))]
    assert whole == pages == sorted(whole) and len(whole) == 30
    assert [r.position for r in search(snapshot, "pendulum", k=3, offset=6).results] == [7, 8, 9]
    with pytest.raises(UsageError):
        search(snapshot, "pendulum", k=0)


def test_the_language_asked_comes_first_and_others_follow(world: World) -> None:
    world.add("EN", "Kepler described Mars with Δ_OT in the year KX-17.")
    world.add("ZH", "克卜勒以 Δ_OT 描述火星。", language="zh-Hant")
    snapshot = world.snapshot()
    assert documents(search(snapshot, "火星 Δ_OT"))[0] == "ZH"
    assert documents(search(snapshot, "Mars KX-17")) == ["EN", "ZH"]  # 火星, by the dictionary
    # An exact ASCII term crosses languages; a passage that holds every term, one of them rare, is pinned (D22).
    assert [r.group for r in search(snapshot, "KX-17 Mars", language="zh").results] == ["en", "zh"]
    world.add("ZH2", "另一份文件，只提到 Mars。", language="zh-Hant")
    pinned = search(world.snapshot(), "Mars KX-17 year", language="zh")
    assert documents(pinned)[0] == "EN" and set(documents(pinned)) == {"EN", "ZH", "ZH2"}
    assert [r.group for r in pinned.results] == ["en", "zh", "zh"]
    crossing = search(snapshot, "火星 KX-17")
    assert documents(crossing) == ["ZH", "EN"] and [r.group for r in crossing.results] == ["zh", "en"]
    assert [r.group for r in search(snapshot, "described Mars", language="zh").results] == ["en", "zh"]  # pinned
    assert documents(search(snapshot, "火星 KX-17", only_language="en")) == ["EN"]


class Hashed:
    """A small deterministic embedder: character pairs hashed into 64 dimensions."""

    dim, fingerprint, max_tokens = 64, "hashed-pairs-64", 480

    def embed_query(self, text: str) -> Any:
        vector = np.zeros(self.dim, dtype=np.float32)
        for a, b in pairwise(text):
            vector[(ord(a) * 31 + ord(b)) % self.dim] += 1
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def embed_passages(self, texts: Any) -> Any:
        return np.stack([self.embed_query(text) for text in texts])


def with_vectors(world: World, fingerprint: str = Hashed.fingerprint) -> Snapshot:
    generation = world.publish()
    snapshot = world.snapshot(generation=generation)
    embedder = Hashed()
    cache = VectorCache(world.root / "embeddings.sqlite")
    texts = [snapshot.text(row) for row in range(len(snapshot.passages))]
    cache.put(snapshot.passages.digest.tolist(), fingerprint, embedder.embed_passages(texts))
    dense.build(generation.path / "dense", snapshot.passages, fingerprint, embedder.dim, cache)
    cache.close()
    made = Snapshot(world.root, generation, embedder=embedder)
    world.opened.append(made)
    return made


def test_both_channels_fuse_and_show_their_ranks(world: World) -> None:
    world.add("D1", "The pendulum swings.")
    world.add("D2", "Pendular motion of a swinging weight.")
    snapshot = with_vectors(world)
    answer = search(snapshot, "pendulum swings")
    assert answer.degraded == {} and answer.certificate["route"] == ["HYBRID"] and answer.certificate["coverage"] == 1.0
    first, second = answer.results
    assert first.ranks == {"lexical": 1, "dense": 1} and second.ranks["dense"] == 2
    assert first.raw_scores["convex"] == pytest.approx(1.0)
    by_rank = search(snapshot, "pendulum swings", weights={"lexical": 0.5, "dense": 0.5, "rrf_k": 60}).results[0]
    assert by_rank.raw_scores["rrf"] == pytest.approx(0.5 / 61 + 0.5 / 61, abs=1e-6)
    only = search(snapshot, "pendulum swings", route="SPARSE_ONLY")
    assert all("dense" not in r.ranks for r in only.results)
    weighted = search(snapshot, "pendulum swings", weights={"lexical": 1.0, "dense": 0.0, "rrf_k": 10})
    assert weighted.results[0].raw_scores["rrf"] == pytest.approx(1 / 11, abs=1e-6)


def test_another_models_vectors_switch_the_channel_off_and_say_so(world: World) -> None:
    world.add("D1", "The pendulum swings.")
    answer = search(with_vectors(world, "other-model"), "pendulum")
    assert "other-model" in answer.degraded["dense"] and Hashed.fingerprint in answer.degraded["dense"]
    assert ids(answer) == ["D1#sec-1"]


@pytest.mark.parametrize("part", ["lexical", "dense", "passages"])
def test_a_damaged_channel_is_said_and_strict_is_an_error(world: World, part: str) -> None:
    world.add("D1", "The pendulum swings.")
    snapshot = with_vectors(world)
    folder = snapshot.generation.path / part
    snapshot.close()
    shutil.rmtree(folder)
    folder.mkdir()
    broken = world.snapshot(generation=snapshot.generation)  # type: ignore[arg-type]
    answer = search(broken, "pendulum")
    assert part in answer.degraded and any("Channel" in s["text"] for s in answer.explanation("en"))
    with pytest.raises(Damaged, match="is off"):
        search(broken, "pendulum", strict=True)


def test_the_head_of_a_named_object_is_given_itself(world: World) -> None:
    world.add("PEP-0241", "Metadata format one.")
    world.add(
        "PEP-0314", said("H", "The latest version of the metadata format."), relations=(("supersedes", "PEP-0241"),)
    )
    snapshot = world.snapshot()
    first, second = search(snapshot, "latest version of PEP-241").results
    assert (first.id, second.id) == ("PEP-0314", "PEP-0314#H")
    assert first.substituted_for[0]["path"] == ["PEP-0241", "PEP-0314"] and not second.substituted_for
    # A hit by words is joined with the head's own best part instead.
    (joined,) = search(snapshot, "metadata format").results
    assert joined.id == "PEP-0314#H" and joined.substituted_for[0]["id"] == "PEP-0241#sec-1"
    unknown = search(snapshot, "metadata qwertz").certificate["uncertainty"]["unknown_terms"]
    assert unknown == ["qwertz"]


def test_a_missing_original_is_said(breath: World) -> None:
    snapshot = breath.snapshot()
    shutil.rmtree(breath.root / "originals")
    answer = search(snapshot, "內感耦合")
    assert answer.results[0].source_available is False and "originals" in answer.degraded


def test_objects_without_offsets(world: World) -> None:
    world.add("J", said("KO-1", "Inline claims have no offsets."), inline=True)
    (result, *_) = search(world.snapshot(), "inline claims").results
    assert result.id == "J#KO-1" and result.span is None and "Inline claims" in result.snippet


def test_every_sentence_of_the_explanation_points_into_the_certificate(breath: World, claims: World) -> None:
    snapshot = claims.snapshot()
    queries: list[tuple[str, dict[str, Any]]] = [
        ("呼吸律", {}), ("V1", {}), ("map colours", {"states": ["REFUTED"]}), ("KO-1", {}), ("更深入 地圖", {}),
        ('"nowhere to be found"', {}), ("", {}), ("呼吸律", {"as_of": "2022-01-01"}),
    ]  # fmt: skip
    for query, options in queries:
        answer = search(snapshot, query, **options)
        certificate = json.loads(json.dumps(answer.certificate))
        for language in LANGUAGES:
            sentences = answer.explanation(language)
            assert sentences
            for sentence in sentences:
                value: Any = certificate
                for token in sentence["pointer"].split("/")[1:]:
                    token = token.replace("~1", "/").replace("~0", "~")
                    value = value[int(token)] if isinstance(value, list) else value[token]
        for reason in [*certificate["routing"].get("reasons", ()), *(v["reason"] for v in answer.verdicts)]:
            assert reason in REASONS, reason
    assert all(set(t) == set(LANGUAGES) for t in TEMPLATES.values())


def test_a_changed_signal_changes_the_sentence(breath: World) -> None:
    """Explanations are faithful: perturb the trace and the sentence follows."""
    from oam_rdf.query.explain import explain

    certificate = json.loads(json.dumps(search(breath.snapshot(), "呼吸律").certificate))
    before = [s["text"] for s in explain(certificate, "en")]
    certificate["results"][0]["substituted_for"][0]["path"] = ["V1", "V9", "V2"]
    after = [s["text"] for s in explain(certificate, "en")]
    assert before != after and any("V1 → V9 → V2" in text for text in after)


def test_certificate_has_the_papers_keys_and_replays(breath: World) -> None:
    snapshot = breath.snapshot()
    answer = search(snapshot, "呼吸律")
    certificate = json.loads(json.dumps(answer.certificate, ensure_ascii=False))
    for key in ("retrieval_id", "query", "route", "query_plan", "result", "explanation"):
        assert key in certificate
    for key in ("document_id", "scores", "graph_path", "source_available"):
        assert key in certificate["result"]
    again = replay(snapshot, certificate)
    assert ids(again) == ids(answer) and again.certificate["results"] == certificate["results"]
    assert Plan.from_json(certificate["query_plan"]).to_json() == certificate["query_plan"]


def test_a_stage_can_be_left_out(breath: World) -> None:
    snapshot = breath.snapshot()
    without = [(name, stage) for name, stage in STAGES if name != "substitute"]
    assert documents(search(snapshot, "呼吸律", stages=without)) == ["V1"]
    bare = [(name, stage) for name, stage in STAGES if name not in ("gate", "as_of", "history", "admit")]
    assert documents(search(snapshot, "呼吸律", stages=bare)) == ["V2"]


def test_a_candidate_that_slips_through_is_caught(claims: World) -> None:
    snapshot = claims.snapshot()

    def smuggle(state: Any) -> Any:
        forbidden = snapshot.facets.row(claims.iri("D1#Q"))
        return replace(state, candidates=tuple(replace(c, row=forbidden) for c in state.candidates))

    with pytest.raises(AssertionError, match="D1#Q reached the end"):
        search(snapshot, "map colours", states=["FORMALLY_PROVED"], stages=[*STAGES, ("smuggle", smuggle)])
    at = [name for name, _ in STAGES].index("admit again")
    early = [*STAGES[:at], ("smuggle", smuggle), *STAGES[at:]]
    assert search(snapshot, "map colours", states=["FORMALLY_PROVED"], stages=early).results == ()
