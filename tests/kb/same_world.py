"""One corpus, ingested in several ways, and what twenty queries answer on it as text that can be compared.

Run as a program: ``same_world.py FOLDER ORDER`` makes the knowledge base (ORDER ``there``: it is there already) and prints
the answers.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sample_answers import DOCUMENTS, Hashed

from oam_rdf.index import embed
from oam_rdf.ingest.run import IngestOptions
from oam_rdf.knowledge_base import KnowledgeBase

_SYMBOLS = "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr".split()
_CHINESE = "氫氦鋰鈹硼碳氮氧氟氖鈉鎂鋁矽磷硫氯氬鉀鈣鈧鈦釩鉻錳鐵鈷鎳銅鋅鎵鍺砷硒溴氪銣鍶釔鋯"
_ENGLISH = (
    "hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium aluminium silicon "
    "phosphorus sulfur chlorine argon potassium calcium scandium titanium vanadium chromium manganese iron cobalt nickel "
    "copper zinc gallium germanium arsenic selenium bromine krypton rubidium strontium yttrium zirconium"
).split()
_PERIODS = (2, 10, 18, 36, 54)  # the last element of each

#: Query and options: Chinese and English, ids, directions, operators, global questions, ties.
QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("the orbit of a planet around the sun", {}),
    ("行星繞太陽的軌道", {}),
    ("periodic table number of protons", {}),
    ("原子核中質子的數目", {"k": 30}),
    ("ELEMENT-26", {}),
    ("ORBIT-1", {}),
    ("latest version of ORBIT-1", {}),
    ("ORBIT-1 的最新版本", {"directions": ["VERSION.LATEST"]}),
    ("FERMAT", {"directions": ["COUNTEREXAMPLE.NEAREST"]}),
    ("Goldbach counterexample", {}),
    ("element", {"k": 40}),
    ("元素", {"k": 40, "granularity": "DOCUMENT"}),
    ("chemical element metal", {"operators": ["REP.FORMALIZE"]}),
    ("群的定義", {"exclude_operators": ["META.CRITIQUE"]}),
    ("overview of the elements", {"diversity": 0.6, "k": 15}),
    ("這個知識庫的整體綜述", {"diversity": 0.4}),
    ("which elements are in period 4", {"route": "GRAPH_GLOBAL"}),
    ("combustion", {"as_of": "2100-01-01", "include_history": True}),
    ("symbol Fe 鐵", {"half_life": 0, "weights": {"lexical": 0.3, "dense": 0.7}}),
    ("colouring of maps", {"only_language": "en", "states": ["FORMALLY_PROVED"]}),
)
#: What says when and in which generation an answer was made; ``until`` is the newest commit, from which ages count.
_OF_THE_RUN = frozenset(("retrieval_id", "time", "until", "milliseconds", "generation", "revision"))


def element(number: int) -> tuple[str, str]:
    """Name and text of a small document; many sentences are the same in all of them, so that there are ties."""
    symbol, chinese, english = _SYMBOLS[number - 1], _CHINESE[number - 1], _ENGLISH[number - 1]
    period = next(at for at, last in enumerate(_PERIODS, 1) if number <= last)
    head = f"---\nid: ELEMENT-{number:02}\nlanguage: {'en' if number % 2 else 'zh-Hant'}\n"
    head += "operators: [REP.FORMALIZE]\n" if number % 5 == 0 else ""
    link = f"See [[ELEMENT-{number - 1:02}]].\n\n" if number > 1 else ""
    if number % 2:
        body = (
            f"title: {english.capitalize()}\n---\n# {english.capitalize()}\n\n{link}"
            f"**Claim K1.** The chemical element {english} has the symbol {symbol}.\n\n## Place\n\n"
            f"The number of protons gives its place in the periodic table. It stands in period {period}.\n"
        )
    else:
        body = (
            f"title: {chinese}\n---\n# {chinese}\n\n{link}"
            f"**主張 K1。** 元素{chinese}的符號是 {symbol}。\n\n## 位置\n\n"
            f"原子核中質子的數目決定它在週期表中的位置。它在第 {period} 週期。\n"
        )
    return f"element-{number:02}.md", head + body


def write(folder: Path, elements: int = 40, samples: str = "*") -> list[Path]:
    """The sample documents named so and the first of the elements, sorted by name."""
    folder.mkdir(parents=True)
    for path in DOCUMENTS.glob(samples):
        shutil.copy(path, folder)
    for number in range(1, elements + 1):
        name, text = element(number)
        (folder / name).write_text(text, "utf-8")
    return sorted(folder.iterdir())


def batches(files: Sequence[Path], order: str) -> Iterator[Sequence[Path]]:
    """``once``: all together. ``single``: one by one, backwards. ``mixed``: in nines, shuffled."""
    if order == "once":
        yield files
    elif order == "single":
        yield from ([file] for file in reversed(files))
    else:
        shuffled = random.Random(7).sample(files, len(files))
        yield from (shuffled[at : at + 9] for at in range(0, len(files), 9))


def build(folder: Path, files: Sequence[Path], order: str) -> KnowledgeBase:
    """``mixed`` makes vectors after every batch, the others at the end."""
    kb = KnowledgeBase.init(folder)
    for batch in batches(files, order):
        kb.ingest(batch, IngestOptions(workers=1))
        if order == "mixed":
            kb.embed()
    kb.embed()
    return kb


def without(value: Any) -> Any:
    """Data without what belongs to one run."""
    if isinstance(value, dict):
        return {name: without(part) for name, part in value.items() if name not in _OF_THE_RUN}
    return [without(part) for part in value] if isinstance(value, list) else value


def answers(kb: KnowledgeBase) -> list[str]:
    """Each query's answer with certificate and explanation, as JSON."""
    found = []
    for query, options in QUERIES:
        answer = kb.search(query, **options)
        data = without(answer.to_json(certificate=True))
        data["said"] = {language: answer.explanation(language) for language in ("en", "zh-Hant")}
        found.append(json.dumps(data, ensure_ascii=False, sort_keys=True))
    return found


if __name__ == "__main__":
    embed._loaded["e5"] = Hashed()
    place, chosen = Path(sys.argv[1]), sys.argv[2]
    made = (
        KnowledgeBase.open(place)
        if chosen == "there"
        else build(place, sorted((place.parent / "sources").iterdir()), chosen)
    )
    with made:
        print(json.dumps(answers(made), ensure_ascii=False))
