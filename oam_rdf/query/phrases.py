"""Sentences of explanations in three languages (decision D13): templates and the reasons that stages give."""

from __future__ import annotations

LANGUAGES = ("zh-Hant", "zh-Hans", "en")

# key -> template by language; braces name values that the sentence is made from.
TEMPLATES: dict[str, dict[str, str]] = {
    "route": {
        "zh-Hant": "檢索路徑：{route}。{reason}",
        "zh-Hans": "检索路径：{route}。{reason}",
        "en": "Route: {route}. {reason}",
    },
    "weights": {
        "zh-Hant": "融合採倒數排名（k={k}），權重 詞 {lexical}、向量 {dense}：{reason}",
        "zh-Hans": "融合采倒数排名（k={k}），权重 词 {lexical}、向量 {dense}：{reason}",
        "en": "Fused by reciprocal rank (k={k}), weights words {lexical}, vectors {dense}: {reason}",
    },
    "result": {
        "zh-Hant": "第 {position} 名 {id}：{ranks}",
        "zh-Hans": "第 {position} 名 {id}：{ranks}",
        "en": "Result {position}, {id}: {ranks}",
    },
    "rank lexical": {"zh-Hant": "詞檢索第 {rank}", "zh-Hans": "词检索第 {rank}", "en": "rank {rank} by words"},
    "rank dense": {"zh-Hant": "向量檢索第 {rank}", "zh-Hans": "向量检索第 {rank}", "en": "rank {rank} by vectors"},
    "rank history": {
        "zh-Hant": "舊文檢索第 {rank}",
        "zh-Hans": "旧文检索第 {rank}",
        "en": "rank {rank} in the old text",
    },
    "rank id": {"zh-Hant": "查詢直接指名", "zh-Hans": "查询直接指名", "en": "named by the query"},
    "rank none": {"zh-Hant": "由取代關係而來", "zh-Hans": "由取代关系而来", "en": "reached by supersession"},
    "matched": {
        "zh-Hant": "{id} 命中的詞：{terms}。",
        "zh-Hans": "{id} 命中的词：{terms}。",
        "en": "{id} matched: {terms}.",
    },
    "substituted": {
        "zh-Hant": "{id} 代替 {old}（{ranks}），取代路徑：{path}。",
        "zh-Hans": "{id} 代替 {old}（{ranks}），取代路径：{path}。",
        "en": "{id} is substituted for {old} ({ranks}); path: {path}.",
    },
    "successor": {
        "zh-Hant": "{id} 已被 {successors} 取代。",
        "zh-Hans": "{id} 已被 {successors} 取代。",
        "en": "{id} is superseded by {successors}.",
    },
    "state": {
        "zh-Hant": "{id} 的認識狀態為 {state}，驗證 {verification}，版本狀態 {status}。",
        "zh-Hans": "{id} 的认识状态为 {state}，验证 {verification}，版本状态 {status}。",
        "en": "{id} has epistemic state {state}, verification {verification}, version status {status}.",
    },
    "source": {
        "zh-Hant": "{id} 的原文可查：{original} 的第 {start} 至 {end} 字。",
        "zh-Hans": "{id} 的原文可查：{original} 的第 {start} 至 {end} 字。",
        "en": "The source of {id} resolves: characters {start} to {end} of {original}.",
    },
    "no source": {
        "zh-Hant": "{id} 沒有可查的原文位置。",
        "zh-Hans": "{id} 没有可查的原文位置。",
        "en": "{id} has no span in an Original.",
    },
    "historical": {
        "zh-Hant": "{id} 顯示的是 {version} 的舊文，有效至 {until}。",
        "zh-Hans": "{id} 显示的是 {version} 的旧文，有效至 {until}。",
        "en": "{id} shows the old text of {version}, in force until {until}.",
    },
    "constraint": {
        "zh-Hant": "條件「{name}」排除了 {count} 個物件。",
        "zh-Hans": "条件「{name}」排除了 {count} 个对象。",
        "en": "The condition “{name}” removed {count} objects.",
    },
    "excluded": {
        "zh-Hant": "{id} 未列入：{reason}。",
        "zh-Hans": "{id} 未列入：{reason}。",
        "en": "{id} was left out: {reason}.",
    },
    "verdict": {
        "zh-Hant": "閘門判定：{verdict}。{reason}",
        "zh-Hans": "闸门判定：{verdict}。{reason}",
        "en": "Gate: {verdict}. {reason}",
    },
    "degraded": {
        "zh-Hant": "管道 {channel} 未作用：{reason}。",
        "zh-Hans": "管道 {channel} 未作用：{reason}。",
        "en": "Channel {channel} was off: {reason}.",
    },
    "ambiguous": {
        "zh-Hant": "查詢有歧義：{note}。",
        "zh-Hans": "查询有歧义：{note}。",
        "en": "The query is ambiguous: {note}.",
    },
}

# What stages write into the trace as reasons, in English; a test proves that none is missing here.
REASONS: dict[str, dict[str, str]] = {
    "nothing is asked": {
        "zh-Hant": "沒有提出問題",
        "zh-Hans": "没有提出问题",
    },
    "the query is an id and nothing else: the short path": {
        "zh-Hant": "查詢只有編號，走捷徑",
        "zh-Hans": "查询只有编号，走捷径",
    },
    "most of what the query names occurs nowhere in the corpus": {
        "zh-Hant": "查詢所指的大部分內容不見於語料",
        "zh-Hans": "查询所指的大部分内容不见于语料",
    },
    "there are no vectors to search": {
        "zh-Hant": "沒有可檢索的向量",
        "zh-Hans": "没有可检索的向量",
    },
    "there is no lexical index to search": {
        "zh-Hant": "沒有可檢索的詞索引",
        "zh-Hans": "没有可检索的词索引",
    },
    "words and meaning both count": {
        "zh-Hant": "詞與語義並用",
        "zh-Hans": "词与语义并用",
    },
    "the caller chose the route": {
        "zh-Hant": "路徑由呼叫者指定",
        "zh-Hans": "路径由调用者指定",
    },
    "an id or exact text is named: words count more": {
        "zh-Hant": "指名編號或原文，偏重詞",
        "zh-Hans": "指名编号或原文，偏重词",
    },
    "a query of Chinese terms: words count more": {
        "zh-Hant": "中文詞查詢，偏重詞",
        "zh-Hans": "中文词查询，偏重词",
    },
    "a concept or question: words and meaning count alike": {
        "zh-Hant": "概念或提問，詞與語義並重",
        "zh-Hans": "概念或提问，词与语义并重",
    },
    "set by the caller": {
        "zh-Hant": "由呼叫者指定",
        "zh-Hans": "由调用者指定",
    },
    "an id that the query names does not exist here": {
        "zh-Hant": "查詢所指的編號不存在",
        "zh-Hans": "查询所指的编号不存在",
    },
    "no candidate contains what the query names": {
        "zh-Hant": "沒有候選包含查詢所指名者",
        "zh-Hans": "没有候选包含查询所指名者",
    },
    "no word of the query occurs in the documents of its language": {
        "zh-Hant": "同語言文件中沒有查詢的任何詞",
        "zh-Hans": "同语言文件中没有查询的任何词",
    },
    "there is nothing to search": {
        "zh-Hant": "沒有可檢索的內容",
        "zh-Hans": "没有可检索的内容",
    },
    "nothing in the corpus matches": {
        "zh-Hant": "語料中沒有相符者",
        "zh-Hans": "语料中没有相符者",
    },
    "a hard condition leaves nothing": {
        "zh-Hant": "硬條件排除了全部候選",
        "zh-Hans": "硬条件排除了全部候选",
    },
    "the versions form a fork": {
        "zh-Hant": "版本分叉",
        "zh-Hans": "版本分叉",
    },
    "the versions form a cycle": {
        "zh-Hant": "版本成環",
        "zh-Hans": "版本成环",
    },
    "only history is available": {
        "zh-Hant": "只有歷史版本",
        "zh-Hans": "只有历史版本",
    },
    "the field that is asked for is not stored": {
        "zh-Hant": "所問欄位沒有資料",
        "zh-Hans": "所问字段没有数据",
    },
    "active sources contradict each other": {
        "zh-Hant": "現行來源互相矛盾",
        "zh-Hans": "现行来源互相矛盾",
    },
    "no result resolves to its source": {
        "zh-Hant": "沒有結果可回到來源",
        "zh-Hans": "没有结果可回到来源",
    },
    "this is asked of the knowledge base, not of its documents: see `oam status`": {
        "zh-Hant": "問的是知識庫本身而非文件，見 `oam status`",
        "zh-Hans": "问的是知识库本身而非文档，见 `oam status`",
    },
    "no channel could search for it": {
        "zh-Hant": "沒有可用的檢索管道",
        "zh-Hans": "没有可用的检索管道",
    },
    "nothing was to be retrieved": {
        "zh-Hant": "無須檢索",
        "zh-Hans": "无须检索",
    },
}
