"""``oam ontology check``: every check, how much it looked at, and what it found. Looking at nothing is a failure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, serialize

from oam_rdf.errors import OamError
from oam_rdf.namespaces import SKOS
from oam_rdf.ontology import Ontology
from oam_rdf.resources import ontology_dir, shapes_dir
from oam_rdf.store.shacl import Validator
from oam_rdf.vocabulary import agreement, competency
from oam_rdf.vocabulary.profile import profile
from oam_rdf.vocabulary.reason import Reasoning, reason
from oam_rdf.vocabulary.source import Source, of_type, read


@dataclass(frozen=True, slots=True)
class Check:
    """One check. ``looked_at`` counts ``unit``; ``ran`` is False where a feature is absent, and ``note`` says which."""

    name: str
    unit: str
    looked_at: int
    problems: tuple[str, ...] = ()
    note: str = ""
    ran: bool = True

    @property
    def passed(self) -> bool:
        """Whether it ran, met something, and found no fault."""
        return self.ran and self.looked_at > 0 and not self.problems


@dataclass(frozen=True, slots=True)
class OntologyReport:
    """All checks in order. ``exit_code``: 1 if one failed (or looked at nothing), else 3 if one did not run, else 0."""

    checks: tuple[Check, ...]
    engine: str

    @property
    def exit_code(self) -> int:
        if any(check.ran and not check.passed for check in self.checks):
            return 1
        return 3 if any(not check.ran for check in self.checks) else 0

    def to_text(self) -> str:
        """One line for each check, and one for each problem below it."""
        lines = []
        for check in self.checks:
            verdict = "ok" if check.passed else "FAILED" if check.ran else "not run"
            told = check.note if not check.ran else f"{check.looked_at} {check.unit}" + f"; {check.note}" * bool(check.note)
            lines.append(f"{verdict:>7}  {check.name}: {told}")
            lines += [f"           {problem}" for problem in check.problems]
            if check.ran and not check.looked_at:
                lines.append("           nothing was looked at, which is never a pass")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        checks = [{**asdict(check), "passed": check.passed} for check in self.checks]
        return {"exit_code": self.exit_code, "engine": self.engine, "checks": checks}


def check(folder: Path | None = None, *, reasoning: bool = True, engine: str = "auto") -> OntologyReport:
    """Check the ontology in ``folder`` (default: the one that ships).

    Without ``reasoning`` HermiT is not started and the report says so. A damaged file ends the checks that need it: the
    report then holds the parse failure alone.
    """
    where = folder or ontology_dir()
    try:
        source, ontology = read(where), Ontology.load(where)
    except OamError as error:
        return OntologyReport((Check("Turtle parses", "files", 1, (str(error),)),), engine)
    thought = reason(source.triples) if reasoning else Reasoning(False, "switched off")
    return OntologyReport(tuple(_checks(source, ontology, thought, engine)), engine)


def _checks(source: Source, ontology: Ontology, thought: Reasoning, engine: str) -> Iterator[Check]:
    triples = source.triples
    yield Check("Turtle parses", "files", len(source.files), (), f"{len(triples)} triples")
    report = Validator(engine, shapes_dir() / "style").validate(
        (serialize(source.own(), format=RdfFormat.N_TRIPLES) or b"").decode()
    )
    yield Check(
        "house style",
        "focus nodes",
        report.checked,
        (
            *(f"{r.focus} {r.value}".rstrip() + f": {r.messages.get('en', r.component)}" for r in report.results),
            *(f"the shape {shape} met nothing" for shape in report.unmatched),
        ),
        f"{len(agreement.declared_terms(source))} terms, {len(ontology.concepts)} concepts, engine {report.engine}",
    )
    schemes = len(of_type(triples, SKOS + "ConceptScheme"))
    yield Check("schemes agree with namespaces.py", "schemes", schemes, tuple(agreement.schemes(source, ontology)))
    yield Check("prefixes agree with namespaces.py", "prefix lines", *_pair(agreement.prefixes(source, shapes_dir())))
    yield Check("terms in use are declared", "terms", *_pair(agreement.terms(source, ontology, shapes_dir())))
    yield Check("concepts referred to exist", "references", *_pair(agreement.dangling(source, ontology)))
    yield Check("the Python model agrees", "names and rows", *_pair(agreement.python_model(ontology)))
    found = profile(triples)
    left = "; ".join(f"not {name} because of {', '.join(names)}" for name, names in found.outside.items() if names)
    yield Check(
        "OWL 2 profile", "constructs", sum(found.constructs.values()), found.problems, f"OWL 2 {found.name} ({left})"
    )
    yield Check(
        "HermiT: consistent, every class can have a member",
        "classes",
        thought.classes,
        ((() if thought.consistent else ("the ontology is inconsistent",))
         + tuple(f"{iri} can have no member" for iri in thought.unsatisfiable)) if thought.ran else (),
        f"{thought.properties} properties, {thought.individuals} individuals" if thought.ran else thought.reason,
        thought.ran,
    )  # fmt: skip
    yield _competency(source, source.folder / "competency")


def _pair(found: tuple[int, Iterable[str]]) -> tuple[int, tuple[str, ...]]:
    return found[0], tuple(found[1])


def _competency(source: Source, folder: Path) -> Check:
    asked = competency.questions(folder) if folder.is_dir() else ()
    problems: list[str] = []
    if asked:
        store = competency.store(source, folder)
        for question in asked:
            problems += _compare(question, lambda q=question: competency.ask(store, q))  # type: ignore[misc]
    return Check("competency questions", "questions", len(asked), tuple(problems))


def _compare(question: competency.Question, ask: Callable[[], frozenset[competency.Row]]) -> Iterator[str]:
    try:
        rows = ask()
    except OamError as error:
        yield str(error)
        return
    for row in sorted(question.rows - rows):
        yield f"{question.name}: missing row {' | '.join(row)}"
    for row in sorted(rows - question.rows):
        yield f"{question.name}: unexpected row {' | '.join(row)}"
