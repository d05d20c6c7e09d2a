"""How commands speak: data on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from oam_rdf.ingest.run import Progress as Report
    from oam_rdf.knowledge_base import KnowledgeBase
    from oam_rdf.writing import Writer

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class Context:
    """Global options of one run."""

    kb: str | None = None
    quiet: bool = False
    color: bool = True
    debug: bool = False
    _opened: KnowledgeBase | None = field(default=None, repr=False)

    def open(self) -> KnowledgeBase:
        """The knowledge base meant by ``--kb``, ``OAM_KB`` or the folder."""
        # Not before they are needed: they bring everything with them.
        from oam_rdf.knowledge_base import KnowledgeBase
        from oam_rdf.ontology import in_force

        if self._opened is None:
            self._opened = KnowledgeBase.open(self.kb)
            context = click.get_current_context()
            context.call_on_close(self._opened.close)
            # Words for people come from the vocabulary, to which the knowledge base may add.
            context.with_resource(in_force(self._opened.layout.ontology))
        return self._opened

    def writer(self) -> Writer:
        """The same for verbs that only bring something in: it is open much sooner."""
        from oam_rdf.ontology import in_force
        from oam_rdf.writing import Writer

        writer = Writer.open(self.kb)
        click.get_current_context().with_resource(in_force(writer.layout.ontology))
        return writer

    def console(self, *, stderr: bool = False) -> Console:
        return Console(stderr=stderr, no_color=not self.color, highlight=False, soft_wrap=True)

    def note(self, message: str) -> None:
        """A line for people, on stderr."""
        if not self.quiet:
            click.echo(message, err=True)

    @contextmanager
    def progress(self) -> Iterator[Report]:
        """Bars on a terminal, a line per step elsewhere, nothing with ``-q``."""
        if self.quiet:
            yield lambda step, done, total: None
        elif sys.stderr.isatty():
            columns = TextColumn("{task.description:>9}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
            with Progress(*columns, console=self.console(stderr=True), transient=True) as bars:
                tasks: dict[str, TaskID] = {}

                def advance(step: str, done: int, total: int) -> None:
                    if step not in tasks:
                        tasks[step] = bars.add_task(step, total=total)
                    bars.update(tasks[step], completed=done, total=total)

                yield advance
        else:

            def line(step: str, done: int, total: int) -> None:
                if done == total:
                    click.echo(f"{step}: {done}/{total}", err=True)

            yield line


def json_option(function: F) -> F:
    """``--json`` as every reading verb has it."""
    return click.option("--json", "as_json", is_flag=True, help="Machine-readable output.")(function)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
