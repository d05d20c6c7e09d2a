"""What is left of a query when cues, names and words that only ask are taken away: its own matter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from whoosh.lang.stopwords import stoplists

from oam_rdf.text.normalise import index_key

# Words that ask, point or name a kind of writing, as index keys. They say what is wanted of a text, not what it is about.
_ENGLISH_WORDS = """
    about all also and another any anyone anything are article articles be been being between book books but
    call called can claim claims concept concepts could define defined definition describe described describes
    describing did discuss discussed discusses discussing do document documents does each earlier else entire
    entitled entries entry ever every exact exactly exist exists explain explained explains fetch file files
    find finds first for found from full get give gives go got had has have having help her here him his how id
    idea ideas identifier if in into is it item items its just keep keeps kept know later like list look lookup
    made make many me mean meaning means mention mentions more most much my name named names near need new no
    not note notes number object objects of old on one ones only open or original originally other our out over
    page pages paper papers part parts passage passages please point points proposal proposals put question
    read record records regarding result results retrieve said same say saying says search second section
    sections see seen show shows so some something sort statement statements still story such tell term text
    texts than that the their them then theories theory there these they thing things this those through title
    titled to told topic under up us use used version versions very want was we were what whatever when where
    whether which while who whom whose why will with without word words work works would write writes written
    wrote you your
"""
_HAN_WORDS = """
    找出 找到 尋找 搜尋 搜索 查找 查詢 查一下 列出 列舉 給我 請問 請給 請列 請找 請 幫我 告訴我 我想知道 我想
    我要 想知道 想要 需要 有沒有 有哪些 有什麼 有何 哪些 哪個 哪一個 哪一 哪裡 哪里 哪篇 哪份 哪幾 哪種 哪位
    什麼 甚麼 怎麼樣 怎麼 怎樣 如何 為什麼 為何 是否 多少 幾個 幾篇 可以 能否 能不能 關於 有關 對於 針對 根據
    其中 以及 並且 而且 但是 仍然 還有 已經 保留 提到 提及 討論 談到 談論 說明 解釋 介紹 描述 敘述 陳述 內容
    論文 文章 文件 文檔 文獻 資料 理論 概念 命題 主張 研究 提案 頁面 章節 段落 部分 一篇 這篇 這個 這些 這份
    這項 那篇 那個 那些 本文 該文 此文 第一個 第一 一個 一下 一些 是什麼 是誰 意思 之間 方面 的話 全部 所有
    定義 編號 標題 名為 名叫 叫做 所謂 顯示 打開 調出 看看 東西 版本 版 舊 新 說 的 了 嗎 呢 吧 與 和 或 及 比
    仍 但 而
"""
_ENGLISH = frozenset(stoplists["en"]) | frozenset(_ENGLISH_WORDS.split())
_ASKS = re.compile(
    "|".join(sorted({re.escape(index_key(word)) for word in _HAN_WORDS.split()}, key=lambda w: (-len(w), w)))
)
_EDGE = index_key("到是在有被把從由於於之其這那個會能可要也都就還則即等中上下里裡為對將用以所者篇份條項段名何誰哪")
_IDEOGRAPH = r"\u3400-\u9fff\U00020000-\U0003ffff"
_PIECE = re.compile(rf"[{_IDEOGRAPH}]+|[^\W\d_{_IDEOGRAPH}][^\W_{_IDEOGRAPH}]*(?:['_.-][^\W{_IDEOGRAPH}]+)*|\d+")
_HAN = re.compile(rf"[{_IDEOGRAPH}]")


def runs(folded: str) -> list[tuple[int, int]]:
    """Where the query's own matter stands in a folded text, in which everything else is blanked already.

    Han text is cut where words stand that ask or join; adjacent English content words make one run.
    """
    found: list[tuple[int, int]] = []
    open_run = False  # whether the last piece was an English content word and nothing but blanks followed
    last = 0
    for match in _PIECE.finditer(folded):
        start, end = match.span()
        if _HAN.match(match[0]):
            found += list(_cut(folded, start, end))
            open_run = False
        elif match[0] in _ENGLISH or match[0].isdigit():
            open_run = False
        elif open_run and folded[last:start] == " ":
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
            open_run = True
        last = end
    return found


def _cut(folded: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    place = start
    for match in (*_ASKS.finditer(folded, start, end), None):
        stop = match.start() if match else end
        low, high = place, stop
        while low < high and folded[low] in _EDGE:
            low += 1
        while high > low and folded[high - 1] in _EDGE:
            high -= 1
        if high - low >= 2:
            yield low, high
        place = match.end() if match else end


def weight(texts: Iterable[str]) -> int:
    """How much matter that is: a Han character counts one, a word of another script two."""
    return sum(len(_HAN.findall(text)) + 2 * len(re.findall(rf"[^\W{_IDEOGRAPH}]+", text)) for text in texts)
