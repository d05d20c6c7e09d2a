"""What ``oam provenance`` says, in the three languages."""

from __future__ import annotations

LABELS: dict[str, tuple[str, str, str]] = {  # zh-Hant, zh-Hans, en
    "traces": ("可追溯至原文", "可追溯至原文", "traces to its Original"),
    "does not": ("不可追溯：{reason}", "不可追溯：{reason}", "does not trace: {reason}"),
    "share": (
        "P_trace（來源可追溯率）＝ {share}：已查 {checked} 項，可追溯 {traced} 項",
        "P_trace（来源可追溯率）＝ {share}：已查 {checked} 项，可追溯 {traced} 项",
        "P_trace = {share}: {traced} of {checked} checked trace to their Originals",
    ),
    "none": ("未查任何物件：沒有符合者。", "未查任何对象：没有符合者。", "Nothing was checked: the selection is empty."),
    "more": ("另有 {count} 項未列（--limit）", "另有 {count} 项未列（--limit）", "{count} more are not listed (--limit)"),
    "statement": ("陳述", "陈述", "statement"),
    "state": ("狀態 {state}", "状态 {state}", "counts as {state}"),
    "span": ("片段：第 {line} 行，第 {start}–{end} 字", "片段：第 {line} 行，第 {start}–{end} 字",
             "span: line {line}, characters {start}–{end}"),
    "passage": ("片段", "片段", "span"),
    "made from": ("由此片段生成", "由此片段生成", "made from this passage"),
    "no span": ("無片段：{reason}", "无片段：{reason}", "no span: {reason}"),
    "original": ("原文 sha256-{sha256}：{state}", "原文 sha256-{sha256}：{state}", "Original sha256-{sha256}: {state}"),
    "verified": ("位元組與雜湊值相符", "字节与哈希值相符", "its bytes have this hash"),
    "file": ("檔案 {path}（{media}，設定檔 {profile}），文件 {document}，{time} 提交",
             "文件 {path}（{media}，配置 {profile}），文档 {document}，{time} 提交",
             "file {path} ({media}, profile {profile}), document {document}, committed {time}"),
    "activity": ("活動 {kind} {time}", "活动 {kind} {time}", "activity {kind} {time}"),
    "activity told": ("來源所述的活動 {kind} {time}", "来源所述的活动 {kind} {time}",
                      "activity told by the source {kind} {time}"),
    "agent": ("行動者 {name}", "行动者 {name}", "agent {name}"),
    "software": ("軟體 {name}", "软件 {name}", "software {name}"),
    "version": ("版本 {version}", "版本 {version}", "version {version}"),
    "model": ("模型 {model}", "模型 {model}", "model {model}"),
    "assessed": ("評定為 {state}，由 {agent}，{time}", "评定为 {state}，由 {agent}，{time}",
                 "assessed {state} by {agent}, {time}"),
    "decided": ("覆核 {what}：{status}，由 {agent}，{time}", "复核 {what}：{status}，由 {agent}，{time}",
                "reviewed {what}: {status} by {agent}, {time}"),
    "not reviewed": ("未經人覆核", "未经人复核", "reviewed by nobody"),
    "evidence": ("證據 {kind}，結果 {outcome}：{reference}", "证据 {kind}，结果 {outcome}：{reference}",
                 "evidence {kind}, outcome {outcome}: {reference}"),
    "no evidence": ("未記證據", "未记证据", "no evidence is recorded"),
    "its source": ("來源", "来源", "its source"),
    "undated": ("未記時間", "未记时间", "undated"),
    # How and why: the values of Traced.how and Traced.reason
    "whole document": ("整份文件", "整份文档", "whole document"),
    "own words": ("原文字句", "原文字句", "own words"),
    "quote": ("引文", "引文", "quote"),
    "generated text": ("生成文本，絕非原文", "生成文本，绝非原文", "generated text, which is no Original"),
    "no span recorded": ("未記片段", "未记片段", "no span"),
    "unanchored quote": ("引文在原文中找不到", "引文在原文中找不到", "unanchored quote"),
    "Original missing": ("原文不在此", "原文不在此", "Original missing"),
    "hash differs": ("位元組與雜湊值不符", "字节与哈希值不符", "hash differs"),
    "span outside the Original": ("片段超出原文", "片段超出原文", "span outside the Original"),
    "text differs": ("該處字句不同", "该处字句不同", "text differs"),
}  # fmt: skip
_COLUMN = {"zh-Hant": 0, "zh-Hans": 1, "en": 2}


def say(key: str, ui: str, **values: object) -> str:
    """A sentence in the interface language ``ui``."""
    return LABELS[key][_COLUMN[ui]].format(**values)


def reason_said(reason: str, ui: str) -> str:
    """One of :data:`oam_rdf.query.tracing.REASONS` in words."""
    return say("no span recorded" if reason == "no span" else reason, ui)
