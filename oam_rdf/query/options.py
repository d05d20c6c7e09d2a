"""What a caller asks for beside the text, checked and put into the plan."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from oam_rdf.errors import UsageError
from oam_rdf.index.lexical import SCORERS
from oam_rdf.index.scorers import IDF_FORMS
from oam_rdf.model import VISIBILITIES
from oam_rdf.ontology import Ontology
from oam_rdf.query.known import check, spelt
from oam_rdf.query.layout import SHAPES
from oam_rdf.query.limits import LANGUAGES
from oam_rdf.query.plan import CALLER, Entries, Entry, Plan, Source, Weights
from oam_rdf.query.rescue import CONDITIONS
from oam_rdf.query.route import TEXT_ROUTES
from oam_rdf.query.snapshot import Snapshot

GRANULARITIES = ("DOCUMENT", "SECTION", "ARGUMENT", "STATEMENT", "SOURCE_SPAN", "EVIDENCE_ARTIFACT")
METHODS = ("convex", "rrf")
MODES = ("default", "active", "history")
_TAG = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def with_options(plan: Plan, **given: Any) -> Plan:
    """The plan with the caller's options, which are hard where they constrain. Checks the whole plan.

    :raises UsageError: naming the value that is none, and the choices.
    """
    form, epistemic, version = plan.form, plan.epistemic, plan.version
    form = replace(
        form,
        k=form.k if given["k"] is None else given["k"],
        offset=form.offset if given["offset"] is None else given["offset"],
        granularity=(given["granularity"] or form.granularity).upper(),
        diversity=form.diversity if given["diversity"] is None else given["diversity"],
    )
    if not 0 <= form.diversity <= 1:
        raise UsageError(f"diversity is {form.diversity}", hint="a number from 0 to 1")
    if not 1 <= form.k <= 1000 or form.offset < 0:
        raise UsageError(f"k = {form.k}, offset = {form.offset}", hint="1 <= k <= 1000 and offset >= 0")
    epistemic = replace(
        epistemic,
        require=epistemic.require + _hard(given["states"]),
        exclude=epistemic.exclude + _hard(given["exclude_states"]),
    )
    if given["version"]:
        version = replace(version, mode=Entry(given["version"], hard=given["version"] == "active"))
    if given["include_history"]:
        version = replace(version, mode=Entry("history"))
    if given["as_of"]:
        version = replace(version, as_of=given["as_of"])
    if version.as_of and version.moment is not None and version.mode.origin != "caller":
        version = replace(version, mode=Entry("default", "rule:as_of"))
    condition = replace(
        plan.condition,
        language=plan.condition.language + _hard((given["only_language"],)),
        kind=plan.condition.kind + _hard((given["kind"],)),
        visibility=plan.condition.visibility + _hard(given["visibility"]),
    )
    for name, values in given["conditions"].items():
        _one_of("condition", (name,), CONDITIONS)
        condition = replace(condition, **{name: getattr(condition, name) + _hard(values)})
    operator = replace(
        plan.operator,
        require=plan.operator.require + _hard([_operator(name) for name in given["operators"]]),
        exclude=plan.operator.exclude + _hard([_operator(name) for name in given["exclude_operators"]]),
    )
    scoring = plan.scoring
    if given["half_life"] is not None:
        scoring = replace(scoring, half_life=given["half_life"])
    if given["rerank"]:
        scoring = replace(scoring, rerank=given["rerank"])
    if given["strict"]:
        plan = replace(plan, rescue=replace(plan.rescue, strict=True))
    plan = replace(
        plan, form=form, epistemic=epistemic, version=version, condition=condition, operator=operator, scoring=scoring
    )
    if given["only_language"] or given["language"]:
        plan = replace(plan, language=given["only_language"] or given["language"])
    if given["require_original"]:
        plan = replace(plan, source=Source(Entry("true", hard=True)))
    if given["route"]:
        names = given["route"].upper().replace("+", " ").replace(",", " ").split()
        plan = replace(plan, route=tuple(Entry(name) for name in names))
    if given["weights"]:
        _one_of("weight", given["weights"], ("lexical", "dense", "graph", "rrf_k"))
        lexical, dense = given["weights"].get("lexical", 0.5), given["weights"].get("dense", 0.5)
        plan = replace(
            plan,
            weights=Weights(
                int(given["weights"].get("rrf_k", 60)),
                lexical,
                dense,
                float(given["weights"].get("graph", 0.0)),
                "set by the caller",
                "rrf" if "rrf_k" in given["weights"] else "convex",
            ),
        )
    if given["directions"]:
        asked = tuple(Entry(_direction(name)) for name in given["directions"])
        have = {entry.value for entry in asked}
        rest = tuple(entry for entry in plan.navigation.directions if entry.value not in have)
        start = plan.navigation.start or plan.lexical.ids
        plan = replace(plan, navigation=replace(plan.navigation, directions=asked + rest, start=start))
    if given["shape"]:
        _one_of("shape", (given["shape"],), SHAPES)
        plan = replace(plan, form=replace(plan.form, shape=given["shape"]))
    plan = spelt(replace(plan, scorer=given["scorer"] or plan.scorer, idf=given["idf"] or plan.idf))
    _check(plan)
    return plan


def checked_language(tag: str) -> str:
    """The tag itself. :raises UsageError: if it has not the shape of a BCP 47 tag."""
    if tag and not _TAG.fullmatch(tag):
        raise UsageError(f"{tag!r} is no language tag", hint="write en, zh-Hant or zh-Hans")
    return tag


def spoken_here(tag: str, snapshot: Snapshot) -> None:
    """:raises UsageError: for a language that neither queries name nor anything that may be seen is written in."""
    if not tag or (primary := tag.lower().partition("-")[0]) in LANGUAGES:
        return
    known = LANGUAGES | snapshot.languages.keys() - {""}
    if primary not in known:
        raise UsageError(
            f"unknown language {tag!r}: nothing is written in it", hint="one of " + ", ".join(sorted(known))
        )


def _check(plan: Plan) -> None:
    check(plan)
    ontology, form, condition = Ontology.load(), plan.form, plan.condition
    _one_of("route", plan.routes, ontology.ordered("route"))
    chosen = {entry.value for entry in plan.route if entry.origin == CALLER} & set(TEXT_ROUTES)
    if len(chosen) > 1:
        both = " and ".join(sorted(chosen))
        raise UsageError(f"the routes {both} exclude each other", hint="choose one of " + ", ".join(TEXT_ROUTES))
    _one_of("granularity", (form.granularity.upper(),) if form.granularity else (), GRANULARITIES)
    _one_of("visibility", [entry.value.upper() for entry in condition.visibility], VISIBILITIES)
    _one_of("kind", [entry.value.upper() for entry in condition.kind], ontology.ordered("statement-kind"))
    _one_of("version mode", (plan.version.mode.value,), MODES)
    _one_of("scorer", (plan.scorer,), SCORERS)
    _one_of("idf", (plan.idf,), IDF_FORMS)
    _one_of("method of fusion", (plan.weights.method,), METHODS)
    for entry in plan.navigation.directions:
        _direction(entry.value)
    if plan.scoring.half_life < 0:
        raise UsageError(f"half-life is {plan.scoring.half_life}", hint="days, or 0 to switch freshness off")
    if plan.scoring.rerank and not plan.scoring.rerank.startswith("st:"):
        raise UsageError(f"unknown reranker {plan.scoring.rerank!r}", hint="write st:NAME or st:FOLDER")
    for tag in (plan.language, *(entry.value for entry in condition.language)):
        checked_language(tag)


def _one_of(what: str, values: Iterable[str], choices: Sequence[str]) -> None:
    for value in values:
        if value not in choices:
            raise UsageError(f"unknown {what} {value!r}", hint="one of " + ", ".join(choices))


def _direction(name: str) -> str:
    ontology = Ontology.load()
    way = ontology.direction(name)
    if way is None:
        raise UsageError(f"unknown direction {name!r}", hint="one of " + ", ".join(sorted(ontology.directions)))
    return way.notation


def _operator(name: str) -> str:
    """The notation of an operator, however it is spelt (decision D4)."""
    concept = Ontology.load().concept("operator", name)
    if concept is None:
        hint = "one of " + ", ".join(sorted(Ontology.load().notations("operator"))[:12]) + " … see `oam ontology doc`"
        raise UsageError(f"unknown operator {name!r}", hint=hint)
    return concept.notation


def _hard(values: Sequence[str]) -> Entries:
    return tuple(Entry(value, hard=True) for value in values if value)
