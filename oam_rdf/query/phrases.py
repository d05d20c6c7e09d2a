"""Reasons that stages give, in three languages (decision D13); templates and single words beside them."""

from __future__ import annotations

from collections.abc import Iterable

from oam_rdf.query.templates import LANGUAGES, TEMPLATES, WORDS

__all__ = ["LANGUAGES", "REASONS", "TEMPLATES", "WORDS", "say", "word"]


def say(separator: str, reasons: Iterable[str], tag: str) -> str:
    """Reasons of the trace in a language; what has no translation (a rule's name, an error) stays as it is."""
    parts = [part for reason in reasons for part in ([reason] if reason in REASONS else reason.split("; "))]
    return separator.join(REASONS.get(part, {}).get(tag, part) for part in parts)


def word(key: str, tag: str) -> str:
    """What the program calls ``key``, in a language; a name that it does not know stays as it is."""
    return WORDS.get(key, {}).get(tag, key)


# What stages write into the trace as reasons, in English; a test proves that none is missing here.
REASONS: dict[str, dict[str, str]] = {
    "a direction is asked for, and nothing to start from": {
        "zh-Hant": "問的是方向，卻沒有起點",
        "zh-Hans": "问的是方向，却没有起点",
    },
    "the time lies before the first commit": {
        "zh-Hant": "該時點早於最初的提交，當時此處尚無任何記錄",
        "zh-Hans": "该时点早于最初的提交，当时此处尚无任何记录",
    },
    "the date lies before the first recorded status": {
        "zh-Hant": "該日期早於所記載的第一個狀態",
        "zh-Hans": "该日期早于所记载的第一个状态",
    },
    "the source stated no status then": {
        "zh-Hant": "來源當時未載明狀態",
        "zh-Hans": "来源当时未载明状态",
    },
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
    "relations of what is named are asked for: the graph leads": {
        "zh-Hant": "問的是所指名者的關係，以圖為主",
        "zh-Hans": "问的是所指名者的关系，以图为主",
    },
    "a Chinese question: words count a little more": {
        "zh-Hant": "中文提問，略偏重詞",
        "zh-Hans": "中文提问，略偏重词",
    },
    "a phrase or claim: words and meaning count alike": {
        "zh-Hant": "短語或主張，詞與語義並重",
        "zh-Hans": "短语或主张，词与语义并重",
    },
    "a question: meaning counts more": {
        "zh-Hant": "提問，偏重語義",
        "zh-Hans": "提问，偏重语义",
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
    "no candidate holds a third of what the query names": {
        "zh-Hant": "沒有候選含有查詢所指的三分之一",
        "zh-Hans": "没有候选含有查询所指的三分之一",
    },
    "no candidate holds half of what the query names": {
        "zh-Hant": "沒有候選含有查詢所指的一半",
        "zh-Hans": "没有候选含有查询所指的一半",
    },
    "only superseded texts say it": {
        "zh-Hant": "只有已被取代的文本這樣說",
        "zh-Hans": "只有已被取代的文本这样说",
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
    "it comes after the results that were asked for": {
        "zh-Hant": "排在所求筆數之後",
        "zh-Hans": "排在所求条数之后",
    },
    "only reliable tags are held against an object": {
        "zh-Hant": "只有可靠的標籤才用來排除",
        "zh-Hans": "只有可靠的标签才用来排除",
    },
    "operators are widened to close, related and broader ones": {
        "zh-Hant": "算子放寬至相近、相關及較廣者",
        "zh-Hans": "算子放宽至相近、相关及较广者",
    },
    "the condition only prefers": {
        "zh-Hant": "條件改為偏好",
        "zh-Hans": "条件改为偏好",
    },
    "switched off": {
        "zh-Hant": "已關閉",
        "zh-Hans": "已关闭",
    },
    "a version or source is traced": {
        "zh-Hant": "追溯版本或來源時不計",
        "zh-Hans": "追溯版本或来源时不计",
    },
    "an id is named": {
        "zh-Hant": "查詢指名編號",
        "zh-Hans": "查询指名编号",
    },
    "a lookup by id or exact name: words suffice, the short path": {
        "zh-Hant": "以編號或確切名稱查找，詞即足夠，走捷徑",
        "zh-Hans": "以编号或确切名称查找，词即足够，走捷径",
    },
    "the whole corpus fits into one answer: the short path": {
        "zh-Hant": "整個語料可放進一次回答，走捷徑",
        "zh-Hans": "整个语料可放进一次回答，走捷径",
    },
    "there is no graph to walk": {
        "zh-Hant": "沒有可走訪的圖",
        "zh-Hans": "没有可遍历的图",
    },
    "the start is named and nothing else: the graph leads from it": {
        "zh-Hant": "只指名起點，由圖從該處引導",
        "zh-Hans": "只指名起点，由图从该处引导",
    },
    "relations are asked for: the graph counts beside words and meaning": {
        "zh-Hant": "所問為關係，圖與詞、語義並用",
        "zh-Hans": "所问为关系，图与词、语义并用",
    },
    "no document is in the language of the query: meaning counts": {
        "zh-Hant": "沒有查詢語言的文件，以語義為主",
        "zh-Hans": "没有查询语言的文档，以语义为主",
    },
    "many words of the query are unknown here: meaning counts more": {
        "zh-Hant": "查詢多數用詞不見於此，偏重語義",
        "zh-Hans": "查询多数用词不见于此，偏重语义",
    },
    "the best match by words stands out: words count more": {
        "zh-Hant": "詞檢索首位明顯突出，偏重詞",
        "zh-Hans": "词检索首位明显突出，偏重词",
    },
    "the graph has nothing to walk: it does not count": {
        "zh-Hant": "圖無可走訪，不計",
        "zh-Hans": "图无可遍历，不计",
    },
    "weights by the model that was trained on judged queries": {
        "zh-Hant": "權重由以已評查詢訓練的模型決定",
        "zh-Hans": "权重由以已评查询训练的模型决定",
    },
    "the weights are set already": {
        "zh-Hant": "權重已定",
        "zh-Hans": "权重已定",
    },
    "parts count where the plan asks for them": {
        "zh-Hant": "計畫所求的部分計分",
        "zh-Hans": "计划所求的部分计分",
    },
    "the plan asks for relevance alone": {
        "zh-Hant": "計畫只求相關",
        "zh-Hans": "计划只求相关",
    },
    "default routes of the type EXACT": {
        "zh-Hant": "精確查找（EXACT）的預設路徑",
        "zh-Hans": "精确查找（EXACT）的默认路径",
    },
    "default routes of the type SEMANTIC": {
        "zh-Hant": "語義查找（SEMANTIC）的預設路徑",
        "zh-Hans": "语义查找（SEMANTIC）的默认路径",
    },
    "default routes of the type DIRECTIONAL": {
        "zh-Hant": "方向導航（DIRECTIONAL）的預設路徑",
        "zh-Hans": "方向导航（DIRECTIONAL）的默认路径",
    },
    "default routes of the type RELATIONAL": {
        "zh-Hant": "關係查詢（RELATIONAL）的預設路徑",
        "zh-Hans": "关系查询（RELATIONAL）的默认路径",
    },
    "default routes of the type GLOBAL": {
        "zh-Hant": "全局查詢（GLOBAL）的預設路徑",
        "zh-Hans": "全局查询（GLOBAL）的默认路径",
    },
    "default routes of the type EPISTEMIC": {
        "zh-Hant": "認識查詢（EPISTEMIC）的預設路徑",
        "zh-Hans": "认识查询（EPISTEMIC）的默认路径",
    },
    "default routes of the type VERSION": {
        "zh-Hant": "版本查詢（VERSION）的預設路徑",
        "zh-Hans": "版本查询（VERSION）的默认路径",
    },
    "default routes of the type NEGATIVE": {
        "zh-Hant": "反向查詢（NEGATIVE）的預設路徑",
        "zh-Hans": "反向查询（NEGATIVE）的默认路径",
    },
}
