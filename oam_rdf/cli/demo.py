"""``oam demo``: every part of the product once, on the sample documents, in under two minutes."""

from __future__ import annotations

from pathlib import Path

import click

from oam_rdf.cli.output import Context
from oam_rdf.cli.show import answer_text
from oam_rdf.cli.show_navigation import navigation_text
from oam_rdf.errors import FeatureMissing, Refused
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase
from oam_rdf.resources import sample_dir

_SUPERSEDED = """SELECT ?old ?new WHERE {
  ?newer oam:supersedes+ ?older .
  ?newer dcterms:identifier ?new . ?older dcterms:identifier ?old
} ORDER BY ?old ?new LIMIT 8"""


@click.command()
@click.argument("folder", default="demo-kb")
@click.option("--embed/--no-embed", default=True, help="Make vectors for dense search.")
@click.pass_obj
def demo(obj: Context, folder: str, embed: bool) -> None:
    """Build the sample knowledge base in FOLDER and show what it can do."""
    root = Path(folder)
    kb = KnowledgeBase.open(root) if (root / "oam.toml").is_file() else KnowledgeBase.init(root)
    console = obj.console()

    def step(title: str, command: str) -> None:
        console.print(f"\n[bold reverse] {title} [/]\n[dim]$ {command}[/]")

    with kb:
        step("1. Documents become knowledge objects", f"oam --kb {folder} ingest {sample_dir().name}/documents")
        with obj.progress() as progress:
            report = kb.ingest([sample_dir() / "documents"], IngestOptions(), progress)
        console.print(
            f"{report.found} files, {report.landed} landed, {report.unchanged} unchanged, {report.refused} refused; "
            f"{sum(report.objects.values())} objects, {report.relations} relations; revision {report.revision}"
        )
        if report.refused:
            raise Refused("a sample document was refused", hint="run `oam ingest` on the sample to see why")
        if embed:
            try:
                with obj.progress() as progress:
                    made = kb.embed(progress)
                console.print(f"{made.embedded} of {made.passages} passages have a vector")
            except FeatureMissing as error:
                console.print(f"dense search is off: {error}")
        step("2. An answer with its reasons", f'oam --kb {folder} search "陳景潤證明了什麼？" --explain')
        console.print(answer_text(kb.search("陳景潤證明了什麼？", k=2), explain=True, language="zh-Hant"))
        step("3. A superseded word finds the current head", f'oam --kb {folder} search "燃素"')
        console.print(answer_text(kb.search("燃素", k=2)))
        step("4. The gate refuses what the corpus cannot answer", f'oam --kb {folder} search "DNA-1953 雙螺旋"')
        console.print(answer_text(kb.search("DNA-1953 雙螺旋", k=2)))
        step(
            "5. Two hops up, from the concrete to the abstract",
            f"oam --kb {folder} navigate KO-S3 ABSTRACT.UP --steps 2",
        )
        console.print(navigation_text(kb.navigate("KO-S3", "ABSTRACT.UP", steps=2)))
        step(
            "6. SPARQL with property paths", f"oam --kb {folder} sparql '{' '.join(_SUPERSEDED.split())}' --format tsv"
        )
        console.print(kb.sparql(_SUPERSEDED, format="tsv")[0].decode().rstrip(), markup=False)
        step("7. SHACL", f"oam --kb {folder} validate")
        console.print(kb.validate().to_text(), markup=False)
        step("8. Everything out again, as Turtle", f"oam --kb {folder} export GOLDBACH-V2 --format turtle")
        lines = kb.export("GOLDBACH-V2", "turtle").decode().splitlines()
        console.print("\n".join([*lines[:48], f"… {len(lines)} lines"]), markup=False)
    console.print(
        f"\nThe server: [bold]make serve[/], or oam --kb {folder} serve; then http://127.0.0.1:8765/search?q=燃素"
    )
