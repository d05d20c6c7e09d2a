"""Explanations tell the truth: each sentence against its field, and each field against the search it speaks of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import jsonschema
import pytest
from sample_answers import questions

from oam_rdf.errors import UsageError
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.query.explain import explain, render
from oam_rdf.query.phrases import LANGUAGES, REASONS, TEMPLATES, WORDS
from oam_rdf.query.stages import STAGES
from oam_rdf.query.trace import State
from oam_rdf.resources import schemas_dir
from oam_rdf.text.normalise import index_key

COUNT = 200
Asked = tuple[dict[str, Any], State]


@pytest.fixture(scope="module")
def answers(sample: KnowledgeBase) -> list[Asked]:
    """200 certificates as they are stored, each with the last state of its search."""
    found: list[Asked] = []
    states: list[State] = []

    def keep(state: State) -> State:
        states.append(state)
        return state

    for query, options in questions(COUNT, seed=15):
        states.clear()
        answer = sample.search(query, stages=[*STAGES, ("keep", keep)], **options)
        certificate = sample.trace(answer.retrieval_id)
        if states:
            found.append((certificate, states[-1]))
    return found


def tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def at(value: Any, pointer: str) -> Any:
    for token in tokens(pointer):
        value = value[int(token)] if isinstance(value, list) else value[token]
    return value


def alone(certificate: dict[str, Any], pointer: str) -> dict[str, Any]:
    """A certificate that holds nothing but the field (and the id and position of the result that it belongs to)."""
    path = tokens(pointer)
    bare: Any = at(certificate, pointer)
    for depth in range(len(path) - 1, -1, -1):
        above = at(certificate, "".join("/" + t.replace("~", "~0").replace("/", "~1") for t in path[:depth]))
        if isinstance(above, list):
            bare = [None] * int(path[depth]) + [bare]
        else:
            own = {n: above[n] for n in ("id", "position")} if path[0] == "results" and depth == 2 else {}
            bare = {**own, path[depth]: bare}
    return dict(bare)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from leaves(part, (*path, number))
    else:
        yield path, value


def test_every_sentence_is_made_of_its_field_alone(answers: list[Asked]) -> None:
    sentences = 0
    for certificate, _ in answers:
        for language in LANGUAGES:
            for sentence in explain(certificate, language):
                bare = alone(certificate, sentence["pointer"])
                assert render(bare, sentence["pointer"], language) == sentence["text"], sentence
                sentences += 1
    assert sentences > 20 * 3 * COUNT


def test_what_a_sentence_names_stands_in_its_field(answers: list[Asked], sample: KnowledgeBase) -> None:
    """Read the sentence without the templates: its numbers and ids are those of the field."""
    with sample.snapshot() as snapshot:
        known = sorted((name for name in snapshot.facets.identifiers if name), key=len, reverse=True)
    numbers = 0
    for certificate, _ in answers:
        for language in LANGUAGES:
            for sentence in explain(certificate, language):
                text, path = sentence["text"], tokens(sentence["pointer"])
                field = at(certificate, sentence["pointer"])
                texts = [str(part) for where, leaf in leaves(field) for part in (*where, leaf) if isinstance(part, str)]
                values = [leaf for _, leaf in leaves(field) if isinstance(leaf, (int, float))]
                texts += [token for token in path if not token.isdigit()]
                if path[0] == "results":
                    owner = certificate["results"][int(path[1])]
                    texts.append(owner["id"])
                    values.append(owner["position"])
                if path[0] == "relaxations" and "count" not in field:
                    values.append(len(field["let_in"]))
                for own in sorted(set(texts) - {""}, key=len, reverse=True):
                    text = text.replace(own, " ")
                for reason in set(texts) & set(REASONS):
                    text = text.replace(REASONS[reason].get(language, reason), " ")
                named = [name for name in known if len(name) > 3 and name in text]
                assert not named, (sentence, named)
                for found in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text.replace("PageRank", "")):
                    near = [
                        v for v in values if abs(float(found) - v) <= max(5e-5, 6e-3 * abs(v) if "." in found else 0)
                    ]
                    assert near, (sentence, found, values)
                    numbers += 1
    assert numbers > 10 * COUNT


def test_a_changed_field_changes_the_sentence(answers: list[Asked]) -> None:
    changed = 0
    for number, (certificate, _) in enumerate(answers):
        language = LANGUAGES[number % 3]
        for sentence in explain(certificate, language):
            pointer, moved = sentence["pointer"], False
            field = at(certificate, pointer)
            for path, leaf in list(leaves(field)):
                holder, key = _holder(certificate, pointer, path)
                holder[key] = _other(leaf)
                try:
                    after = [s for s in explain(certificate, language) if s["pointer"] == pointer] if isinstance(
                        leaf, bool) else [{"text": render(certificate, pointer, language)}]  # fmt: skip
                finally:
                    holder[key] = leaf
                differs = sentence["text"] not in [s["text"] for s in after]
                moved |= differs
                shown = _shown(leaf, language)
                if shown and re.search(rf"(?<![\w.]){re.escape(shown)}(?![\w.])", sentence["text"]):
                    assert differs or _twice(field, leaf, sentence["text"], shown), (sentence, path, leaf)
            assert moved or not list(leaves(field)), sentence
            changed += moved
    assert changed > 20 * COUNT


def _holder(certificate: dict[str, Any], pointer: str, path: tuple[Any, ...]) -> tuple[Any, Any]:
    whole = (*tokens(pointer), *path)
    holder: Any = certificate
    for token in whole[:-1]:
        holder = holder[int(token)] if isinstance(holder, list) else holder[token]
    return holder, int(whole[-1]) if isinstance(holder, list) else whole[-1]


def _other(leaf: Any) -> Any:
    if isinstance(leaf, bool):
        return not leaf
    return leaf + 1 if isinstance(leaf, (int, float)) else f"{leaf}x" if isinstance(leaf, str) else "x"


def _shown(leaf: Any, language: str) -> str:
    if isinstance(leaf, str):
        return WORDS.get(leaf, {}).get(language, "") or REASONS.get(leaf, {}).get(language, leaf)
    return "" if isinstance(leaf, bool) or leaf is None else str(leaf) if isinstance(leaf, int) else f"{leaf:g}"


def _twice(field: Any, leaf: Any, text: str, shown: str) -> bool:
    """Whether the same is written for another leaf, an id or a word: then this leaf need not be what is seen."""
    return text.count(shown) <= sum(shown in str(v) for _, v in leaves(field)) - 1 or sum(
        shown in _shown(v, language) for language in LANGUAGES for _, v in leaves(field)
    ) > 1 or len(shown) < 3  # fmt: skip


def test_ranks_scores_and_counts_are_those_of_the_search(answers: list[Asked]) -> None:
    """What the certificate says against a recomputation from the state: rankings, masks, facets, Originals."""
    ranks = removed = spans = 0
    for certificate, state in answers:
        plan, facets, snapshot = state.plan, state.snapshot.facets, state.snapshot
        by_document = plan.form.granularity == "DOCUMENT"
        window = state.candidates[plan.form.offset :][: plan.form.k]
        assert certificate["total"] == len(state.candidates)
        for position, (result, candidate) in enumerate(zip(certificate["results"], window, strict=True), 1):
            assert result["position"] == plan.form.offset + position
            for channel in ("lexical", "dense") if not candidate.substitutions and not candidate.history else ():
                if channel not in result["ranks"]:
                    continue
                # What the query names by id stands in the first group, whatever its language: its rank is of its own.
                own = [
                    r
                    for r in state.rankings
                    if r.channel == channel and (r.group == candidate.group or candidate.pin > 1)
                ]
                units = [
                    list(dict.fromkeys(snapshot.passage_document[r.rows].tolist() if by_document else r.rows.tolist()))
                    for r in own
                ]
                unit = candidate.document if by_document else candidate.passage
                assert result["ranks"][channel] in [found.index(unit) + 1 for found in units if unit in found]
                ranks += 1
            if candidate.history is None:
                assert result["id"] in (facets.identifiers[candidate.row], facets.iris[candidate.row])
                assert result["epistemic_state"] == facets.column("epistemic_state")[candidate.row]
            if result["span"]:
                spans += 1
                text = snapshot.original(result["span"]["original"])[result["span"]["start"] : result["span"]["end"]]
                assert result["snippet"].strip("…") in text.strip()
            for item in result["substituted_for"]:
                rows = [facets.identifiers.index(name) for name in item["path"]]
                assert all(new in snapshot.successors[old] for old, new in pairwise(rows))
        for name, count in certificate["constraints"]["removed"].items():
            assert count == int(state.blocked[name].sum()) or name in {what for what, _ in state.relaxed}
            removed += 1
        below = [item for item in certificate["excluded"] if "position" in item]
        rest = state.candidates[plan.form.offset + len(window) :][: len(below)]
        assert [item["id"] for item in below] == [state.name(c.row) for c in rest]
        for found in certificate["channels"]["ranks"]:
            ranking = next(r for r in state.rankings if r.channel == found["channel"]
                           and state.groups[r.group] == found["language"])  # fmt: skip
            assert [hit["passage"] for hit in found["best"]] == ranking.rows[: len(found["best"])].tolist()
    assert ranks > COUNT and removed > COUNT // 10 and spans > COUNT


def test_matched_terms_stand_where_it_is_said(answers: list[Asked]) -> None:
    seen = 0
    for certificate, state in answers:
        window = state.candidates[state.plan.form.offset :]
        for result, candidate in zip(certificate["results"], window, strict=False):
            if candidate.passage < 0 or candidate.history or candidate.substitutions:
                continue
            text = index_key(state.snapshot.text(candidate.passage))
            for match in result["matched"]:
                if match["how"] == "literal" and match["fields"] == ["body"]:
                    assert index_key(match["term"]) in text
                    seen += 1
    assert seen > COUNT // 2


def test_every_certificate_is_valid(answers: list[Asked]) -> None:
    validator = jsonschema.Draft202012Validator(
        json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    )
    for certificate, _ in answers:
        problems = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(certificate)]
        assert not problems, problems[:3]


def test_the_nine_points_of_the_paper_are_told(answers: list[Asked]) -> None:
    """§15: conditions, route, match, graph path, source, version, state, exclusions, uncertainty."""
    told = {re.sub(r"/\d+", "", s["pointer"]) for certificate, _ in answers for s in explain(certificate, "en")}
    for pointer in (
        "/query_plan/epistemic/require", "/results/met", "/constraints/removed/state", "/routing", "/results/matched",
        "/results/ranks", "/results/graph_path", "/results/span", "/results/version_status", "/results/substituted_for",
        "/results/epistemic_state", "/excluded", "/uncertainty/unknown_terms", "/gate/verdicts", "/weights",
    ):  # fmt: skip
        assert pointer in told, pointer


def test_three_languages_say_every_sentence() -> None:
    for table in (TEMPLATES, WORDS):
        for key, said in table.items():
            assert set(said) == set(LANGUAGES), key
    for key, said in TEMPLATES.items():
        fields = {language: set(re.findall(r"{(\w+)}", text)) for language, text in said.items()}
        assert fields["zh-Hant"] == fields["zh-Hans"] == fields["en"], key


def test_reasons_of_the_trace_are_translated(answers: list[Asked]) -> None:
    missing = set()
    for certificate, _ in answers:
        said = [*certificate["routing"].get("reasons", ()), certificate["weights"]["reason"]]
        said += [verdict["reason"] for verdict in certificate["gate"].get("verdicts", ())]
        said += [relaxed["step"] for relaxed in certificate["relaxations"]]
        said += [certificate["scoring"].get("freshness_off", ""), certificate["scoring"].get("reason", "")]
        said += certificate["adapt"].get("reasons", ())
        missing |= {
            part for reason in said for part in reason.split("; ") if reason not in REASONS and part not in REASONS
        }
    assert not missing - {""}


def test_a_pointer_to_nothing_is_refused(answers: list[Asked]) -> None:
    certificate = answers[0][0]
    for pointer in ("", "/", "/results/99/ranks", "/query", "/nothing", "routing"):
        with pytest.raises(UsageError):
            render(certificate, pointer)
