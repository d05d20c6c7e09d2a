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

_TABLE = """
H 氫 hydrogen, He 氦 helium, Li 鋰 lithium, Be 鈹 beryllium, B 硼 boron, C 碳 carbon, N 氮 nitrogen, O 氧 oxygen,
F 氟 fluorine, Ne 氖 neon, Na 鈉 sodium, Mg 鎂 magnesium, Al 鋁 aluminium, Si 矽 silicon, P 磷 phosphorus, S 硫 sulfur,
Cl 氯 chlorine, Ar 氬 argon, K 鉀 potassium, Ca 鈣 calcium, Sc 鈧 scandium, Ti 鈦 titanium, V 釩 vanadium, Cr 鉻 chromium,
Mn 錳 manganese, Fe 鐵 iron, Co 鈷 cobalt, Ni 鎳 nickel, Cu 銅 copper, Zn 鋅 zinc, Ga 鎵 gallium, Ge 鍺 germanium,
As 砷 arsenic, Se 硒 selenium, Br 溴 bromine, Kr 氪 krypton, Rb 銣 rubidium, Sr 鍶 strontium, Y 釔 yttrium, Zr 鋯 zirconium
"""
_ELEMENTS = [tuple(entry.split()) for entry in _TABLE.split(",")]
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
    symbol, chinese, english = _ELEMENTS[number - 1]
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
