"""What the command line says around an answer, in the three languages of explanations."""

from __future__ import annotations

from oam_rdf.ontology import Ontology
from oam_rdf.query.phrases import word

LABELS: dict[str, tuple[str, str, str]] = {  # zh-Hant, zh-Hans, en
    "of": ("{shown}／{total} 項", "{shown}／{total} 项", "{shown} of {total}"),
    "certificate": ("憑證 {id}", "凭证 {id}", "certificate {id}"),
    "decided": ("判定依據：{reason}", "判定依据：{reason}", "because: {reason}"),
    "degraded": ("未作用或不完整 {channel}：{reason}", "未作用或不完整 {channel}：{reason}", "degraded {channel}: {reason}"),
    "relaxed": ("放寬", "放宽", "relaxed"),
    "nearest": ("僅為相近，並非答案：", "仅为相近，并非答案：", "nearest, not an answer:"),
    "nothing": ("沒有結果。", "没有结果。", "No results."),
    "substituted": ("代替 {old}", "代替 {old}", "substituted for {old}"),
    "substituted in all": ("共代替 {count} 項", "共代替 {count} 项", "substituted for {count} in all"),
    "evidence of": ("經由陳述 {id}", "经由陈述 {id}", "by the statement {id}"),
    "evidence": ("{kind}，結果 {outcome}：{reference}", "{kind}，结果 {outcome}：{reference}",
                 "{kind}, outcome {outcome}: {reference}"),
    "timeline": ("時間線", "时间线", "Timeline"),
    "comparison": ("比較表", "比较表", "Comparison"),
    "evidence table": ("證據表", "证据表", "Evidence table"),
    "undated": ("未記日期：{ids}", "未记日期：{ids}", "no recorded date: {ids}"),
    "without evidence": ("未記證據：{ids}", "未记证据：{ids}", "no recorded evidence: {ids}"),
    "left out": ("另有 {count} 項主張未列", "另有 {count} 项主张未列", "{count} more claims are not listed"),
    "granularity": ("粒度", "粒度", "granularity"),
    "language": ("語言", "语言", "language"),
    "state": ("狀態", "状态", "state"),
    "verification": ("驗證", "验证", "verification"),
    "version": ("版本", "版本", "version"),
    "version status": ("版本狀態", "版本状态", "version status"),
    "date": ("日期", "日期", "date"),
    "evidence count": ("證據數", "证据数", "evidence"),
    "path": ("路徑 {path}", "路径 {path}", "path {path}"),
    "superseded": ("已被 {new} 取代", "已被 {new} 取代", "superseded by {new}"),
    "superseded since": ("自 {since} 起由 {by} 取代", "自 {since} 起由 {by} 取代", "superseded by {by} since {since}"),
    "superseded once": (
        "由 {by} 取代，何時未記", "由 {by} 取代，何时未记", "superseded by {by}, when is not recorded",
    ),
    "conflict": ("版本{kind}；末端：{heads}", "版本{kind}；末端：{heads}", "versions {kind}; they end in {heads}"),
    "fork": ("分叉", "分叉", "fork"),
    "cycle": ("成環", "成环", "form a cycle"),
    "old text": ("{version} 的舊文，有效至 {until}", "{version} 的旧文，有效至 {until}",
                 "old text of {version}, in force until {until}"),
    "span": ("{file}第 {line} 行，第 {start}–{end} 字", "{file}第 {line} 行，第 {start}–{end} 字",
             "{file}line {line}, characters {start}–{end}"),
    "characters": ("{file}第 {start}–{end} 字", "{file}第 {start}–{end} 字", "{file}characters {start}–{end}"),
    "no source": ("沒有可查的原文", "没有可查的原文", "no Original resolves"),
    "named": ("查詢直接指名", "查询直接指名", "named by the query"),
    "matched": ("命中 {terms}", "命中 {terms}", "matched {terms}"),
    "in": ("{how}於{where}", "{how}于{where}", "{how} in {where}"),
    "rank": ("{channel}第 {rank}", "{channel}第 {rank}", "rank {rank} by {channel}"),
    "graph": ("圖：{path}", "图：{path}", "graph: {path}"),
    "injected": ("由圖擴展帶入", "由图扩展带入", "brought in by the graph"),
    "same": ("同文：{ids}", "同文：{ids}", "the same as {ids}"),
    "why": ("理由", "理由", "Why"),
    "scores": ("正規化 {scores}；原始 {raw}", "归一化 {scores}；原始 {raw}", "normalised {scores}; raw {raw}"),
    # Navigation from a result
    "help": (
        "編號＝開啟，方向名（或其開頭）或 d編號＝前往，b＝返回，s 文字＝新查詢，?＝說明，q＝離開",
        "编号＝打开，方向名（或其开头）或 d编号＝前往，b＝返回，s 文字＝新查询，?＝说明，q＝退出",
        "NUMBER opens, a direction (or how it begins) or dNUMBER walks, b back, s TEXT searches, ? help, q quits",
    ),
    "trail": ("足跡", "足迹", "trail"),
    "leads": ("可前往：", "可前往：", "leads on:"),
    "dead end": ("沒有方向可前往。", "没有方向可前往。", "No direction leads on from here."),
    "relations": ("關係：", "关系：", "relations:"),
    "been": ("先前到過", "先前到过", "been here before"),
    "unknown": ("不懂「{text}」。", "不懂「{text}」。", "“{text}” is none of these."),
    "several": (
        "「{text}」可指 {directions}。", "「{text}」可指 {directions}。", "“{text}” may be {directions}: write more of it.",
    ),
    "nothing open": (
        "先以編號開啟一項，再前往 {direction}。", "先以编号打开一项，再前往 {direction}。",
        "Open a result by its number first, then walk {direction}.",
    ),
    "no number": ("沒有第 {number} 項。", "没有第 {number} 项。", "There is no number {number}."),
    "start": ("已在起點。", "已在起点。", "This is the beginning."),
    "nowhere": ("{direction} 無處可去。", "{direction} 无处可去。", "{direction} leads nowhere."),
    # Replays
    "replay same": (
        "在第 {on} 代重跑：結果與次序相同（{count} 項）。", "在第 {on} 代重跑：结果与次序相同（{count} 项）。",
        "Replayed on generation {on}: the same {count} results in the same order.",
    ),
    "replay other": (
        "第 {on} 代與第 {generation} 代的結果不同：", "第 {on} 代与第 {generation} 代的结果不同：",
        "On generation {on} the answer differs from that of {generation}:",
    ),
    "replay gone": (
        "第 {generation} 代已不保存；尚存：{kept}。可用 --latest 與現況比較。",
        "第 {generation} 代已不保存；尚存：{kept}。可用 --latest 与现况比较。",
        "Generation {generation} is gone; kept: {kept}. Compare with the present one by --latest.",
    ),
    "moved": ("{id}：第 {before} → 第 {after}", "{id}：第 {before} → 第 {after}", "{id}: {before} → {after}"),
    "new": ("新增 {id}", "新增 {id}", "new {id}"),
    "gone": ("不見 {id}", "不见 {id}", "gone {id}"),
    "verdict": ("判定 {before} → {after}", "判定 {before} → {after}", "verdict {before} → {after}"),
    "channels": ("管道不同：{names}", "管道不同：{names}", "channels that were on in one and off in the other: {names}"),
    # Walks
    "reached": ("{start} {direction}：到達 {count} 項", "{start} {direction}：到达 {count} 项",
                "{start} {direction}: {count} reached"),
    "leg": ("第 {number} 段 {direction}：自 {starts} 項到 {arrivals} 項",
            "第 {number} 段 {direction}：自 {starts} 项到 {arrivals} 项",
            "leg {number} {direction}: {arrivals} reached from {starts}"),
    "branches": ("分出數條", "分出数条", "branches"),
    "dead ends": ("盡頭：{ids}", "尽头：{ids}", "dead ends: {ids}"),
    "in a ring": ("環：{source} → {target}", "环：{source} → {target}", "loop: {source} → {target}"),
    "goes on": ("路尚未走完：請加大步數", "路尚未走完：请加大步数", "the walk goes on: give more hops"),
    "near misses": ("近似而未走：", "近似而未走：", "near misses, not walked:"),
    "not audited": ("候選關係，未經審核", "候选关系，未经审核", "candidate edge, not audited"),
    "judged": ("候選關係，審核裁定{verdict}", "候选关系，审核裁定{verdict}", "candidate edge, judged {verdict}"),
    "sure": ("信心 {confidence}", "信心 {confidence}", "confidence {confidence}"),
    "audited": ("審核：{verdict}", "审核：{verdict}", "audit: {verdict}"),
    "fallback": ("非由標明的關係：{ground}", "非由标明的关系：{ground}", "not by a typed edge: {ground}"),
    "operator tags": ("算子標籤", "算子标签", "operator tags"),
    "similarity": ("相似度", "相似度", "similarity"),
    "repeat": ("足跡重複", "足迹重复", "the trail repeats itself"),
    "oscillation": ("足跡在相反方向間來回", "足迹在相反方向间来回", "the trail goes to and fro between opposite directions"),
    "repeats": ("第 {count} 次重複：{cycle}", "第 {count} 次重复：{cycle}", "repeat {count}: {cycle}"),
    "ways out": ("可改往：", "可改往：", "ways out:"),
    # Paths, conflicts, evidence
    "paths": ("{start} 到 {goal}：{count} 條路徑", "{start} 到 {goal}：{count} 条路径", "{start} to {goal}: {count} paths"),
    "no path": ("{start} 到 {goal}：沒有路徑", "{start} 到 {goal}：没有路径", "{start} to {goal}: no path"),
    "hops": ("{count} 步", "{count} 步", "{count} hops"),
    "more paths": ("尚有更多路徑", "尚有更多路径", "there are more paths"),
    "not searched": ("搜尋達上限而止", "搜索达上限而止", "the search stopped at its limit"),
    "conflicts": ("{count} 項衝突", "{count} 项冲突", "{count} conflicts"),
    "contradiction": ("矛盾", "矛盾", "contradiction"),
    "refutation": ("反駁", "反驳", "refutation"),
    "counterexample": ("反例", "反例", "counterexample"),
    "version conflict": ("版本不一致", "版本不一致", "versions disagree"),
    "state conflict": ("同一主張，狀態不相容", "同一主张，状态不相容", "same claim, incompatible states"),
    "history": ("已非現行", "已非现行", "no longer in force"),
    "checked": (
        "已查 {objects} 個物件、{edges} 條關係、{evidence} 項證據、{version_edges} 條版本關係、{claim_pairs} 對相同主張",
        "已查 {objects} 个对象、{edges} 条关系、{evidence} 项证据、{version_edges} 条版本关系、{claim_pairs} 对相同主张",
        "checked {objects} objects, {edges} edges, {evidence} pieces of evidence, {version_edges} version edges, "
        "{claim_pairs} pairs of the same claim",
    ),
    "supporting": ("支持", "支持", "supporting"),
    "contradicting": ("反對", "反对", "contradicting"),
    "undecided": ("未定", "未定", "undecided"),
    "via": ("屬於 {id} 的同一主張", "属于 {id} 的同一主张", "by {id}, the same claim"),
    "no evidence": ("沒有記載支持或反對它的證據。", "没有记载支持或反对它的证据。", "Nothing is recorded for it or against it."),
}  # fmt: skip
_COLUMN = {"zh-Hant": 0, "zh-Hans": 1, "en": 2}


def label(key: str, ui: str, **values: object) -> str:
    """A label in the interface language ``ui``."""
    return LABELS[key][_COLUMN[ui]].format(**values)


def concept(scheme: str, notation: str, ui: str) -> str:
    """The ontology's label of a notation; the notation itself where it has none, "" for ""."""
    if not notation:
        return ""
    # Codes that are verdicts of the gate and routes at once (NO_RETRIEVAL) are labelled among the routes.
    known = scheme if Ontology.load().concept(scheme, notation) else "route"
    return Ontology.load().label(known, notation, ui) if Ontology.load().concept(known, notation) else notation


def channel(name: str, ui: str) -> str:
    """A channel of retrieval as people call it."""
    return word(name, ui)


def listed(parts: object, ui: str) -> str:
    """A list in a sentence."""
    return (", " if ui == "en" else "、").join(map(str, parts))  # type: ignore[call-overload]
