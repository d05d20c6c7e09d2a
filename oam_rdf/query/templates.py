"""The sentences of explanations and their words, in three languages (decision D13)."""

from __future__ import annotations

LANGUAGES = ("zh-Hant", "zh-Hans", "en")


def _all(hant: str, hans: str, en: str) -> dict[str, str]:
    return {"zh-Hant": hant, "zh-Hans": hans, "en": en}


# key -> template by language; braces name values that the sentence is made from.
TEMPLATES: dict[str, dict[str, str]] = {
    # What was asked
    "asked": _all(
        "查詢條件：{facet} {value}（{force}，{origin}，信心 {confidence}）。",
        "查询条件：{facet} {value}（{force}，{origin}，置信度 {confidence}）。",
        "Asked for: {facet} {value} ({force}; {origin}, confidence {confidence}).",
    ),
    "as of": _all("所問的時點：{value}。", "所问的时点：{value}。", "The time asked about: {value}."),
    "as of meaning": _all("時點的含義：{meaning}。", "时点的含义：{meaning}。", "That time is read as: {meaning}."),
    "as of reason": _all(
        "關於時點：{reason}；只看所記錄的有效期間。", "关于时点：{reason}；只看所记录的有效期间。",
        "About that time: {reason}; nothing was known here then, and only recorded validity counts.",
    ),
    "status then": _all(
        "{object} 於 {date} 的狀態：{status}，自 {since} 起（{history} 第 {line} 行）。",
        "{object} 于 {date} 的状态：{status}，自 {since} 起（{history} 第 {line} 行）。",
        "The status of {object} on {date}: {status}, since {since} ({history}, line {line}).",
    ),
    "no status then": _all(
        "{object} 於 {date} 的狀態不明：{reason}。",
        "{object} 于 {date} 的状态不明：{reason}。",
        "The status of {object} on {date} is unknown: {reason}.",
    ),
    "echo": _all(
        "查詢有 {characters} 字，此處只重述前 {limit} 字；全文的 SHA-256 為 {sha256}。",
        "查询有 {characters} 字，此处只重述前 {limit} 字；全文的 SHA-256 为 {sha256}。",
        "The query has {characters} characters; {limit} of them are repeated here. SHA-256 of the whole: {sha256}.",
    ),
    "laid out": _all("版式：{shape}。", "版式：{shape}。", "Laid out as a {shape}."),
    "ambiguous": _all("查詢有歧義：{note}。", "查询有歧义：{note}。", "The query is ambiguous: {note}."),
    # How it was searched
    "route": _all("檢索路徑：{route}。{reason}", "检索路径：{route}。{reason}", "Route: {route}. {reason}"),
    "weights": _all(
        "融合方法 {method}（名次常數 {k}），權重 詞 {lexical}（他語 {foreign}）、向量 {dense}、圖 {graph}：{reason}",
        "融合方法 {method}（名次常数 {k}），权重 词 {lexical}（他语 {foreign}）、向量 {dense}、图 {graph}：{reason}",
        "Fused by {method} (rank constant {k}), weights words {lexical} ({foreign} in other languages), "
        "vectors {dense}, graph {graph}: {reason}",
    ),
    "adapt": _all(
        "權重由 {before} 調為 {after}；特徵：{features}。{reasons}", "权重由 {before} 调为 {after}；特征：{features}。{reasons}",
        "Weights went from {before} to {after}; features: {features}. {reasons}",
    ),
    "walked": _all(
        "圖由 {starts} 出發，{hops} 步內到達 {reached} 個物件。", "图由 {starts} 出发，{hops} 步内到达 {reached} 个对象。",
        "The graph was walked from {starts}: {reached} objects within {hops} hops.",
    ),
    "scoring": _all(
        "評分權重：{weights}。{reason}", "评分权重：{weights}。{reason}", "Score weights: {weights}. {reason}"
    ),
    "freshness on": _all(
        "新近度半衰期 {value} 天。", "新近度半衰期 {value} 天。", "Freshness counts with a half-life of {value} days."
    ),
    "freshness off": _all("新近度不計：{value}。", "新近度不计：{value}。", "Freshness does not count: {value}."),
    "reranked": _all(
        "重排模型 {model}：原序 {before}；新序 {after}。",
        "重排模型 {model}：原序 {before}；新序 {after}。",
        "Reranked by {model}: before {before}; after {after}.",
    ),
    "rerank failed": _all(
        "重排模型 {model} 未作用：{failed}。", "重排模型 {model} 未作用：{failed}。", "Reranking by {model} failed: {failed}."
    ),
    "diversity": _all(
        "為求多樣重新排序（λ={balance}，依 {similarity}），{moved} 項移位。",
        "为求多样重新排序（λ={balance}，依 {similarity}），{moved} 项移位。",
        "Reordered for diversity (λ={balance}, by {similarity}): {moved} moved.",
    ),
    "degraded": _all(
        "管道 {channel} 未作用或不完整：{reason}。", "管道 {channel} 未作用或不完整：{reason}。",
        "Channel {channel} was off or incomplete: {reason}.",
    ),
    "coverage": _all(
        "已有向量的段落占 {share}。", "已有向量的段落占 {share}。", "A share of {share} of the passages has a vector."
    ),
    # What conditions did
    "constraint": _all(
        "條件「{name}」排除了 {count} 個物件。", "条件「{name}」排除了 {count} 个对象。",
        "The condition “{name}” removed {count} objects.",
    ),
    "relaxed": _all(
        "放寬條件 {what} {value}（{origin}，信心 {confidence}）：{step}{to}；放入 {count} 項{ids}。",
        "放宽条件 {what} {value}（{origin}，置信度 {confidence}）：{step}{to}；放入 {count} 项{ids}。",
        "Relaxed {what} {value} ({origin}, confidence {confidence}): {step}{to}; let in {count}{ids}.",
    ),
    "regret": _all(
        "硬條件排除了最佳 {of} 項詞檢索結果中的 {share}{by}。",
        "硬条件排除了最佳 {of} 项词检索结果中的 {share}{by}。",
        "Hard conditions removed a share of {share} of the {of} best hits by words{by}.",
    ),
    "tag coverage": _all(
        "候選中帶可靠標籤者占 {share}。", "候选中带可靠标签者占 {share}。",
        "A share of {share} of the candidates carries a reliable tag.",
    ),
    "expanded": _all(
        "圖擴展：{id} 由 {source} 經 {path} 而來（{relation}，PageRank {pagerank}，分數 {score}）。",
        "图扩展：{id} 由 {source} 经 {path} 而来（{relation}，PageRank {pagerank}，分数 {score}）。",
        "Graph expansion: {id} came from {source} by {path} ({relation}, PageRank {pagerank}, score {score}).",
    ),
    # Why a result
    "result": _all("第 {position} 名 {id}：{ranks}", "第 {position} 名 {id}：{ranks}", "Result {position}, {id}: {ranks}"),
    "rank lexical": _all("詞檢索第 {rank}", "词检索第 {rank}", "rank {rank} by words"),
    "rank dense": _all("向量檢索第 {rank}", "向量检索第 {rank}", "rank {rank} by vectors"),
    "rank graph": _all("圖檢索第 {rank}", "图检索第 {rank}", "rank {rank} by the graph"),
    "rank walk": _all("圖漫步第 {rank}", "图漫步第 {rank}", "rank {rank} by walking the graph"),
    "rank history": _all("舊文檢索第 {rank}", "旧文检索第 {rank}", "rank {rank} in the old text"),
    "named": _all("{id} 由查詢直接指名。", "{id} 由查询直接指名。", "{id} is named by the query."),
    "injected": _all("{id} 由圖擴展帶入。", "{id} 由图扩展带入。", "{id} was brought in by expansion over the graph."),
    "matched": _all("{id} 命中的詞：{terms}。", "{id} 命中的词：{terms}。", "{id} matched: {terms}."),
    "met": _all("{id} 符合條件：{names}。", "{id} 符合条件：{names}。", "{id} meets the conditions: {names}."),
    "scores": _all("{id} 的分數：{scores}。", "{id} 的分数：{scores}。", "{id} scores: {scores}."),
    "graph path": _all("{id} 的圖路徑：{path}。", "{id} 的图路径：{path}。", "The graph leads to {id}: {path}."),
    "reach": _all(
        "{id} 的圖路徑信心 {confidences}，分數 {score}。", "{id} 的图路径置信度 {confidences}，分数 {score}。",
        "The way to {id} has edge confidences {confidences} and score {score}.",
    ),
    "substituted": _all(
        "{id} 代替 {old}（{ranks}），取代路徑：{path}。", "{id} 代替 {old}（{ranks}），取代路径：{path}。",
        "{id} is substituted for {old} ({ranks}); path: {path}.",
    ),
    "substituted_for in all": _all(
        "{id} 共代替 {count} 項。", "{id} 共代替 {count} 项。", "{id} is substituted for {count} in all."
    ),
    "quoted": _all(
        "{id} 引自 {original} 的第 {start} 至 {end} 字。", "{id} 引自 {original} 的第 {start} 至 {end} 字。",
        "{id} is quoted from characters {start} to {end} of {original}.",
    ),
    "spans in all": _all("{id} 共引 {count} 處。", "{id} 共引 {count} 处。", "{id} is quoted from {count} places in all."),
    "evidence": _all(
        "{id} 是證據：{kind}，結果 {outcome}，出處：{reference}。", "{id} 是证据：{kind}，结果 {outcome}，出处：{reference}。",
        "{id} is evidence: {kind}, outcome {outcome}, reference: {reference}.",
    ),
    "evidence of": _all(
        "{id} 經由陳述 {statement} 而來（{ranks}）。", "{id} 经由陈述 {statement} 而来（{ranks}）。",
        "{id} came by the statement {statement} ({ranks}).",
    ),
    "evidence_of in all": _all(
        "{id} 共由 {count} 個陳述而來。", "{id} 共由 {count} 个陈述而来。", "{id} came by {count} statements in all."
    ),
    "successor": _all("{id} 已被 {successors} 取代。", "{id} 已被 {successors} 取代。", "{id} is superseded by {successors}."),
    "conflict": _all("{id} 的版本衝突：{value}。", "{id} 的版本冲突：{value}。", "The versions of {id} conflict: {value}."),
    "heads": _all("{id} 的版本末端：{names}。", "{id} 的版本末端：{names}。", "The versions of {id} end in {names}."),
    "version": _all("{id} 的版本：{value}。", "{id} 的版本：{value}。", "{id} is version {value}."),
    "version status": _all(
        "{id} 的版本狀態：{value}。", "{id} 的版本状态：{value}。", "{id} has version status {value}."
    ),
    "superseded since": _all(
        "{id} 自 {since} 起由 {by} 取代（今日狀態 {now}）。", "{id} 自 {since} 起由 {by} 取代（今日状态 {now}）。",
        "{id} is superseded by {by} since {since} (status today: {now}).",
    ),
    "superseded once": _all(
        "{id} 由 {by} 取代，何時未記{since}（今日狀態 {now}）。", "{id} 由 {by} 取代，何时未记{since}（今日状态 {now}）。",
        "{id} is superseded by {by}, when is not recorded{since} (status today: {now}).",
    ),
    "historical": _all(
        "{id} 顯示的是 {version} 的舊文，有效至 {until}。", "{id} 显示的是 {version} 的旧文，有效至 {until}。",
        "{id} shows the old text of {version}, in force until {until}.",
    ),
    "state": _all("{id} 的認識狀態：{value}。", "{id} 的认识状态：{value}。", "{id} has epistemic state {value}."),
    "verification": _all("{id} 的驗證：{value}。", "{id} 的验证：{value}。", "{id} has verification {value}."),
    "source": _all(
        "{id} 的原文可查：{original} 的第 {start} 至 {end} 字。", "{id} 的原文可查：{original} 的第 {start} 至 {end} 字。",
        "The source of {id} resolves: characters {start} to {end} of {original}.",
    ),
    "no span": _all(
        "{id} 的文件有原文，但沒有字元位置。", "{id} 的文件有原文，但没有字符位置。",
        "The document of {id} has an Original; {id} has no span in it.",
    ),
    "no source": _all("{id} 沒有可查的原文。", "{id} 没有可查的原文。", "{id} has no Original that resolves."),
    "duplicates": _all(
        "與 {id} 內容相同而併入者：{names}。", "与 {id} 内容相同而并入者：{names}。",
        "Folded into {id}, saying the same: {names}.",
    ),
    # What is not there, and what is not sure
    "excluded": _all("{id} 未列入：{reason}。", "{id} 未列入：{reason}。", "{id} was left out: {reason}."),
    "below": _all(
        "{id} 未列入（第 {position} 名）：{reason}。", "{id} 未列入（第 {position} 名）：{reason}。",
        "{id} was left out (place {position}): {reason}.",
    ),
    "verdict": _all(
        "閘門判定：{verdict}。{reason}{facts}", "闸门判定：{verdict}。{reason}{facts}", "Gate: {verdict}. {reason}{facts}"
    ),
    "unknown": _all(
        "語料中不認識的詞：{names}。", "语料中不认识的词：{names}。", "Words that the corpus does not know: {names}."
    ),
    "unknown value": _all(
        "未知的值，未使用：{facet} {value}（{origin}）。", "未知的值，未使用：{facet} {value}（{origin}）。",
        "Unknown value, not used: {facet} {value} ({origin}).",
    ),
    "risk": _all("回答的風險：{value}。", "回答的风险：{value}。", "A risk to the answer: {value}."),
}  # fmt: skip

# Parts of a plan, conditions, scores, facts and kinds of match, as sentences and the command line call them.
WORDS: dict[str, dict[str, str]] = {
    "hard": _all("硬條件", "硬条件", "required"),
    "soft": _all("偏好", "偏好", "preferred"),
    "caller": _all("呼叫者指定", "调用者指定", "set by the caller"),
    "lexical.exact_terms": _all("原文", "原文", "exact text"),
    "lexical.exclude": _all("排除的詞", "排除的词", "words excluded"),
    "lexical.ids": _all("編號", "编号", "id"),
    "entities": _all("名稱", "名称", "name"),
    "operator.require": _all("算子", "算子", "operator"),
    "operator.prefer": _all("算子", "算子", "operator"),
    "operator.exclude": _all("排除的算子", "排除的算子", "operator excluded"),
    "navigation.directions": _all("方向", "方向", "direction"),
    "navigation.start": _all("起點", "起点", "start"),
    "graph.relations": _all("關係", "关系", "relation"),
    "epistemic.require": _all("認識狀態", "认识状态", "epistemic state"),
    "epistemic.prefer": _all("認識狀態", "认识状态", "epistemic state"),
    "epistemic.exclude": _all("排除的認識狀態", "排除的认识状态", "epistemic state excluded"),
    "version.mode": _all("版本", "版本", "versions"),
    "version.id": _all("版本號", "版本号", "version"),
    "source.require_original": _all("須有原文", "须有原文", "an Original that resolves"),
    "condition.domain": _all("領域", "领域", "domain"),
    "condition.safety": _all("安全層級", "安全级别", "safety level"),
    "condition.population": _all("適用族群", "适用人群", "population"),
    "condition.version": _all("版本限制", "版本限制", "version limit"),
    "condition.rights": _all("使用權", "使用权", "rights"),
    "condition.preconditions": _all("前提", "前提", "precondition"),
    "condition.language": _all("語言", "语言", "language"),
    "condition.visibility": _all("可見性", "可见性", "visibility"),
    "condition.kind": _all("陳述類型", "陈述类型", "statement kind"),
    "form.shape": _all("版式", "版式", "shape"),
    "query_type": _all("查詢類型", "查询类型", "type of query"),
    "comparison": _all("比較表", "比较表", "comparison"),
    "timeline": _all("時間線", "时间线", "timeline"),
    "evidence table": _all("證據表", "证据表", "table of evidence"),
    "form.asked": _all("所問欄位", "所问字段", "field"),
    "state": _all("認識狀態", "认识状态", "epistemic state"),
    "state excluded": _all("排除的認識狀態", "排除的认识状态", "epistemic state excluded"),
    "language": _all("語言", "语言", "language"),
    "visibility": _all("可見性", "可见性", "visibility"),
    "kind": _all("類型", "类型", "kind"),
    "original": _all("須有原文", "须有原文", "an Original"),
    "version": _all("版本", "版本", "version"),
    "as_of": _all("當時有效", "当时有效", "in force then"),
    "committed later": _all("其後才提交", "其后才提交", "committed later"),
    "granularity": _all("粒度", "粒度", "granularity"),
    "validity": _all("所記錄的有效期間", "所记录的有效期间", "recorded validity"),
    "commit time": _all("提交時間", "提交时间", "commit time"),
    "sparse": _all("詞", "词", "words"),
    "dense": _all("向量", "向量", "vectors"),
    "operator": _all("算子", "算子", "operator"),
    "graph": _all("圖", "图", "graph"),
    "provenance": _all("來源", "来源", "provenance"),
    "epistemic": _all("認識狀態", "认识状态", "epistemic"),
    "relevance": _all("相關", "相关", "relevance"),
    "fused": _all("融合", "融合", "fused"),
    "utility": _all("可用性", "可用性", "utility"),
    "freshness": _all("新近度", "新近度", "freshness"),
    "final": _all("總分", "总分", "final"),
    "literal": _all("字面", "字面", "literally"),
    "joined": _all("連寫", "连写", "written together"),
    "part": _all("部分", "部分", "as a part"),
    "parts": _all("分段", "分段", "in parts"),
    "bigram": _all("二字組", "二字组", "by pairs of characters"),
    "stem": _all("詞幹", "词干", "by its stem"),
    "synonym": _all("同義", "同义", "as a synonym"),
    "translation": _all("譯詞", "译词", "as a translation"),
    "id": _all("編號", "编号", "id"),
    "title": _all("題名", "题名", "title"),
    "heading": _all("標題", "标题", "heading"),
    "person": _all("人名", "人名", "person"),
    "citation": _all("引用", "引用", "citation"),
    "symbol": _all("符號", "符号", "symbol"),
    "body": _all("正文", "正文", "text"),
    "walk": _all("圖漫步", "图漫步", "a walk of the graph"),
    "history": _all("舊文", "旧文", "the old text"),
    "lexical": _all("詞", "词", "words"),
    "lexical_margin": _all("詞檢索差距", "词检索差距", "margin by words"),
    "dense_margin": _all("向量檢索差距", "向量检索差距", "margin by vectors"),
    "oov": _all("不識詞比例", "不识词比例", "share of unknown words"),
    "operator_coverage": _all("標籤覆蓋", "标签覆盖", "tag coverage"),
    "reached": _all("圖到達", "图到达", "reached by the graph"),
    "length": _all("詞數", "词数", "words asked"),
    "same_language": _all("同語言", "同语言", "same language"),
    "ids": _all("編號", "编号", "ids"),
    "terms": _all("詞", "词", "terms"),
    "of": _all("共", "共", "of"),
    "share": _all("比例", "比例", "share"),
    "hits": _all("命中", "命中", "hits"),
    "would_have_found": _all("原可找到", "原可找到", "would have found"),
    "removed_by": _all("排除原因", "排除原因", "removed by"),
    "constraints": _all("條件", "条件", "conditions"),
    "object": _all("物件", "对象", "object"),
    "heads": _all("版本末端", "版本末端", "heads"),
    "field": _all("欄位", "字段", "field"),
    "number": _all("第幾項", "第几项", "number"),
    "stored": _all("已存", "已存", "stored"),
    "pairs": _all("成對", "成对", "pairs"),
    "off": _all("未作用", "未作用", "off"),
}
