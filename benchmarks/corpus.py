"""A corpus of the size that the first users bring, made of sentences of our own: papers, programmes, registry, TCF files.

    python benchmarks/corpus.py TARGET [--documents 3150] [--seed 1]

Its figures follow the design (formats.md): 3,150 papers of about 104 MB and 62 million characters, median 29 kB, largest
312 kB, some 15,900 headings and 25 labelled statements a paper, two thirds in zh-Hant; metadata as YAML or as bold header
lines with full- or half-width colons; 《title》, [[wikilink]] and bare ids as links; 86 programmes; 46 TCF-lite files whose
quotes are 83 % verbatim and 14 % verbatim but for marks. The sentences are put together by chance and claim nothing about
the world: the corpus is for measuring, never for answers. Equal arguments give equal bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DOCUMENTS, PROGRAMMES, TCF_FILES = 3150, 86, 46
MEDIAN, LARGEST = 29_000, 312_000  # bytes
SPREAD = 0.51  # of the logarithm of lengths: gives a mean of 33 kB beside a median of 29 kB

_ADJECTIVES = (
    ("有限", "finite"), ("局部", "local"), ("對稱", "symmetric"), ("遞迴", "recursive"), ("離散", "discrete"),
    ("連續", "continuous"), ("穩定", "stable"), ("可分", "separable"), ("緊緻", "compact"), ("加權", "weighted"),
    ("隨機", "random"), ("單調", "monotone"), ("有向", "directed"), ("正規", "regular"), ("稀疏", "sparse"),
    ("分層", "layered"), ("對偶", "dual"), ("凸", "convex"), ("可逆", "invertible"), ("週期", "periodic"),
)  # fmt: skip
_NOUNS = (
    ("格", "lattice"), ("不動點", "fixed point"), ("圖著色", "graph colouring"), ("偏序", "partial order"),
    ("度量空間", "metric space"), ("自動機", "automaton"), ("語法", "grammar"), ("鄰域", "neighbourhood"),
    ("流", "flow"), ("覆蓋", "covering"), ("同態", "homomorphism"), ("譜", "spectrum"), ("邊界", "boundary"),
    ("軌道", "orbit"), ("核", "kernel"), ("算子", "operator"), ("矩陣", "matrix"), ("樹", "tree"), ("序列", "sequence"),
    ("映射", "mapping"), ("不變量", "invariant"), ("分割", "partition"), ("編碼", "coding"), ("網路", "network"),
)  # fmt: skip
_VERBS = (
    ("保持", "preserves"), ("決定", "determines"), ("限制", "restricts"), ("延伸", "extends"), ("包含", "contains"),
    ("分解為", "decomposes into"), ("逼近", "approximates"), ("支配", "dominates"), ("生成", "generates"),
    ("對應於", "corresponds to"),
)  # fmt: skip
_SENTENCES = (
    ("每個{0}都{v}一個{1}，只要相應的{2}不為空。", "Every {0} {v} a {1} as long as the {2} is not empty."),
    ("若{0}{v}{1}，則其{2}至多有 {n} 個分支。", "If a {0} {v} the {1}, then its {2} has at most {n} branches."),
    ("此處的{0}是指在{1}之下不變的{2}。", "By {0} we mean here a {2} that the {1} leaves unchanged."),
    ("我們比較{0}與{1}，並指出{2}的差異只出現在第 {n} 層。",
     "We compare {0} with {1} and find that the {2} differs at level {n} alone."),
    ("然而當{0}退化時，{1}不再{v}{2}。", "When the {0} degenerates, however, the {1} no longer {v} the {2}."),
    ("這個步驟需要 $f(x_{n})\\le \\lambda^{n}$，其中 $\\lambda$ 是{0}的常數。",
     "This step needs $f(x_{n})\\le \\lambda^{n}$ where $\\lambda$ is the constant of the {0}."),
    ("由{0}出發，可以在 {n} 步之內到達{1}。", "Starting from the {0}, the {1} is reached within {n} steps."),
    ("對照組使用{0}，結果與{1}相差不到百分之 {n}。",
     "The control uses a {0}; the result differs from the {1} by less than {n} per cent."),
    ("反過來，{1}的存在並不推出{0}的{2}。", "Conversely, a {1} does not imply a {2} of the {0}."),
    ("假如{2}的深度超過 {n}，{0}就必須重新編號。", "If the {2} is deeper than {n}, the {0} has to be numbered anew."),
)  # fmt: skip
_LABELS = (("定義", "Definition"), ("公理", "Axiom"), ("定理", "Theorem"), ("命題", "Proposition"), ("假設", "Hypothesis"),
           ("推論", "Corollary"), ("猜想", "Conjecture"))  # fmt: skip
_HEADINGS = (("動機", "Motivation"), ("定義與記號", "Definitions and notation"), ("主要結果", "Main results"),
             ("證明概要", "Outline of proofs"), ("討論", "Discussion"), ("限制", "Limits"), ("例子", "Examples"))  # fmt: skip
_STATES = (("草稿", "draft"), ("已審閱", "reviewed"), ("猜想階段", "conjectural"))


@dataclass
class Paper:
    """One paper while it is being written. ``said`` are its labelled statements: (kind, number, text)."""

    number: int
    id: str
    title: str
    chinese: bool
    series: str
    text: str = ""
    said: list[tuple[str, int, str]] = field(default_factory=list)

    @property
    def language(self) -> str:
        return "zh-Hant" if self.chinese else "en"


class Writer:
    """Writes papers in order; later ones refer to earlier ones."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.papers: list[Paper] = []

    def term(self, chinese: bool) -> str:
        adjective, noun = self.chance.choice(_ADJECTIVES), self.chance.choice(_NOUNS)
        return adjective[0] + noun[0] if chinese else f"{adjective[1]} {noun[1]}"

    def sentence(self, chinese: bool) -> str:
        side = 0 if chinese else 1
        template = self.chance.choice(_SENTENCES)[side]
        terms = [self.term(chinese) for _ in range(3)]
        for place, term in enumerate(terms):
            template = template.replace(f"{{{place}}}", term)
        template = template.replace("{v}", self.chance.choice(_VERBS)[side])
        return template.replace("{n}", str(self.chance.randint(2, 99)))

    def paper(self, number: int, series: str) -> Paper:
        chance = self.chance
        chinese = chance.random() < 0.72
        name = f"{self.term(chinese)}與{self.term(chinese)}" if chinese else f"{self.term(False)} and {self.term(False)}"
        paper = Paper(number, f"GEN-{series}-{number:04d}", f"{name} {number}", chinese, series)
        share = 1.0 if chinese else 1.6  # English takes more characters for the same, Chinese more bytes for a character
        size = LARGEST if number == 7 else int(min(LARGEST, MEDIAN * math.exp(chance.gauss(0, SPREAD))))
        parts, written = [self._header(paper)], 0
        sections = max(2, round(chance.gauss(3.6 * share**0.5, 1.2)))
        for section in range(sections):
            heading = chance.choice(_HEADINGS)[0 if chinese else 1]
            parts.append(f"## {section + 1}. {heading}\n")
            while written < size * (section + 1) / sections:
                block = self._block(paper)
                written += len(block.encode())
                parts.append(block)
        paper.text = "\n".join(parts)
        self.papers.append(paper)
        return paper

    def _header(self, paper: Paper) -> str:
        chance, style = self.chance, paper.number % 3
        before = chance.sample(self.papers[-200:], min(2, len(self.papers)))
        replaced = before[0].title if before and chance.random() < 0.03 else ""
        state = chance.choice(_STATES)[0 if paper.chinese else 1]
        if style == 0:
            lines = ["---", f"id: {paper.id}", f"title: {json.dumps(paper.title, ensure_ascii=False)}", "version: v0.1",
                     f"status: {state}", f"lang: {paper.language}", f"series: {paper.series}"]  # fmt: skip
            lines += ["depends_on:", *(f'  - "[[{other.id}]]"' for other in before)] if before else []
            return "\n".join([*lines, "---", f"# {paper.title}\n"])
        colon = "：" if style == 1 else ":"
        names = ("文件編號", "版本", "狀態", "系列", "日期", "關鍵詞")
        values = (paper.id, "v0.1", state, paper.series, "2026 年 5 月", f"{self.term(True)}、{self.term(True)}")
        lines = [f"# {paper.title}\n"]
        lines += [f"**{name}{colon}** {value}  " if style == 1 else f"**{name}**{colon} {value}  "
                  for name, value in zip(names, values, strict=True)]  # fmt: skip
        if before:
            listed = " ".join(f"{place}.《{other.title}》" for place, other in enumerate(before, 1))
            lines.append(f"**前置文件{colon}** {listed}  ")
        if replaced:
            lines.append(f"**取代關係{colon}** 本文取代《{replaced}》  ")
        return "\n".join([*lines, ""])

    def _block(self, paper: Paper) -> str:
        chance, chinese = self.chance, paper.chinese
        kind = chance.random()
        if kind < 0.30:
            label = chance.choice(_LABELS)
            paper.said.append((label[1], len(paper.said) + 1, self.sentence(chinese)))
            name, number, text = label[0 if chinese else 1], len(paper.said), paper.said[-1][2]
            return f"**{name} {number}**：{text}\n" if chinese else f"**{name} {number}.** {text}\n"
        if kind < 0.33:
            return f"$$\n\\sum_{{i=1}}^{{{chance.randint(2, 40)}}} a_i x^i = \\mu({chance.randint(2, 40)})\n$$\n"
        if kind < 0.35:
            rows = "\n".join(f"| {self.term(chinese)} | {chance.randint(1, 99)} |" for _ in range(4))
            return f"| {'對象' if chinese else 'object'} | n |\n|---|---|\n{rows}\n"
        said = [self.sentence(chinese) for _ in range(chance.randint(3, 9))]
        if self.papers and kind > 0.86:
            other = chance.choice(self.papers)
            link = chance.choice((f"《{other.title}》", f"[[{other.id}]]", f"[[{other.id}|{other.title}]]", other.id))
            said.insert(1, f"參見 {link} 的討論。" if chinese else f"See {link} for the discussion.")
        return ("" if chinese else " ").join(said) + "\n"


def tcf(paper: Paper, others: list[Paper], chance: random.Random) -> dict[str, Any]:
    """A TCF-lite file about a paper, with quotes of the three kinds."""

    def quote(text: str) -> str:
        kind = chance.random()
        if kind < 0.83:
            return text
        if kind < 0.97:
            return "**" + text[: len(text) // 2] + "** " + text[len(text) // 2 :]
        return text[:8] + "（此處與原文不符）" + text[9:]

    axioms = [said for said in paper.said if said[0] in ("Axiom", "Definition")][:8]
    theorems = [said for said in paper.said if said[0] in ("Theorem", "Proposition", "Corollary")][:10]
    ids = [f"ax-{number}" for _, number, _ in axioms]
    dag: list[dict[str, Any]] = [{"id": name, "kind": "axiom", "depends_on": []} for name in ids]
    entries = []
    for _, number, text in theorems:
        from_axioms = chance.sample(ids, min(2, len(ids)))
        entries.append({"id": f"th-{number}", "name": f"T{number}", "statement": text, "from_axioms": from_axioms,
                        "description": "", "evidence": quote(text)})  # fmt: skip
        dag.append({"id": f"th-{number}", "kind": "theorem", "depends_on": from_axioms})
    return {
        "tcf_extract_version": "0.1",
        "id": paper.id,
        "title": paper.title,
        "language": paper.language,
        "source_file": f"papers/{paper.id}.md",
        "theory_name": paper.title,
        "extracted_by": "generator",
        "extraction_date": "2026-05-01",
        "canonical_status": chance.choice(("draft", "reviewed", "contested")),
        "primitives": [],
        "axioms": [
            {"id": f"ax-{n}", "name": f"A{n}", "formula": "", "description": text, "evidence": quote(text)}
            for _, n, text in axioms
        ],
        "theorems": entries,
        "dag": dag,
        "concepts": [
            {"name": paper.title, "canonical": paper.title, "role": "defines", "evidence": quote(paper.said[0][2])}
        ] if paper.said else [],
        "external_refs": [
            {"target": other.id, "type": chance.choice(("depends_on", "extends", "uses")), "evidence": "",
             "confidence": chance.choice((0.9, 0.7, 0.5, None))}
            for other in chance.sample(others, min(4, len(others)))
        ],
        "notes": "",
    }  # fmt: skip


def generate(target: Path, documents: int = DOCUMENTS, seed: int = 1) -> dict[str, Any]:
    """Write the corpus. :returns: its figures: documents, bytes, characters, median, headings, statements, files by kind."""
    writer = Writer(seed)
    programmes = max(1, round(PROGRAMMES * documents / DOCUMENTS))
    for folder in ("papers", "programmes", "tcf"):
        (target / folder).mkdir(parents=True, exist_ok=True)
    items, sizes, series = [], [], [f"P{number:02d}" for number in range(1, programmes + 1)]
    for number in range(1, documents + 1):
        paper = writer.paper(number, series[number % programmes])
        data = paper.text.encode()
        (target / "papers" / f"{paper.id}.md").write_bytes(data)
        sizes.append(len(data))
        items.append({"id": paper.id, "title": paper.title, "source_file": f"papers/{paper.id}.md",
                      "language": paper.language, "authorship": "generated", "created": "2026-05-01",
                      "hash": f"sha256:{hashlib.sha256(data).hexdigest()}"})  # fmt: skip
    (target / "papers.json").write_text(json.dumps({"items": items}, ensure_ascii=False, indent=1))
    for name in series:
        own = [paper.id for paper in writer.papers if paper.series == name]
        steps = [{"sequence": at, "id": paper, "iteration_type": "paper", "is_checkpoint": at % 10 == 0}
                 for at, paper in enumerate(own, 1)]  # fmt: skip
        programme = {"id": f"PROGRAMME-{name}", "type": "programme", "status": "active", "iterations": steps}
        (target / "programmes" / f"{name}.json").write_text(json.dumps(programme, ensure_ascii=False, indent=1))
    chance = random.Random(seed + 1)
    chosen = writer.papers[:: max(1, documents // max(1, round(TCF_FILES * documents / DOCUMENTS)))]
    chosen = chosen[: max(1, round(TCF_FILES * documents / DOCUMENTS))]
    audited = {}
    for paper in chosen:
        entry = tcf(paper, [other for other in chosen if other is not paper], chance)
        (target / "tcf" / f"{paper.id}.json").write_text(json.dumps(entry, ensure_ascii=False, indent=1))
        for reference in entry["external_refs"]:
            verdict = chance.choices(("wrong", "ok", "weak"), (114, 45, 14))[0]
            audited[f"{paper.id}->{reference['target']}"] = {"verdict": verdict, "reason": "generated", "round": 1}
    (target / "verdicts.json").write_text(json.dumps({"audited": audited}, ensure_ascii=False, indent=1))
    return {
        "papers": documents, "bytes": sum(sizes), "characters": sum(len(paper.text) for paper in writer.papers),
        "median bytes": sorted(sizes)[len(sizes) // 2], "largest bytes": max(sizes),
        "headings": sum(paper.text.count("\n## ") + 1 for paper in writer.papers),
        "labelled statements": sum(len(paper.said) for paper in writer.papers),
        "programmes": programmes, "TCF files": len(chosen), "verdicts": len(audited),
    }  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("target", type=Path)
    arguments.add_argument("--documents", type=int, default=DOCUMENTS)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    for name, figure in generate(given.target, given.documents, given.seed).items():
        print(f"{name}: {figure:,}")


if __name__ == "__main__":
    main()
