"""What tells a question about stored knowledge from one about the world; patterns over folded text (simplified, casefolded)."""

from __future__ import annotations

import re

#: Writings and their kinds: a question about the world speaks of none.
WRITINGS = re.compile(
    r"\b(?:papers?|documents?|pages?|articles?|theor(?:y|ies)|statements?|claims?|assertions?|propositions?|theorems?|lemmas?"
    r"|axioms?|definitions?|proposals?|sections?|entr(?:y|ies)|notes|conjectures?|hypothes[ei]s|specifications?|specs?"
    r"|standards?|findings?|frameworks?|rules?|corpus|collection|knowledge base|literature|stud(?:y|ies)|arguments?"
    r"|ideas?|concepts?|principles?|drafts?|versions?|editions?|evidence|proofs?|peps?|eips?|keps?|rfcs?"
    r"|counter-?examples?|rebuttals?|objections?|critiques?|implementations?|prototypes?|excerpts?|summar(?:y|ies)|here)\b"
    r"|论文|文件|文档|文章|页面|理论|命题|主张|定理|引理|公理|提案|章节|著作|条目|笔记|猜想|假说|规格|规范|框架|论点|论证|说法|观点"
    r"|概念|原理|语料|知识库|资料库|文献|定义|版本|新版|旧版|草案|反例|出处|原文|实作|代码|程式码|原型|摘要|表述|条文|规定|结论|证据"
    r"|研究结果|研究发现"
)
#: A thing at hand that is pointed at, not named.
POINTED = re.compile(
    r"\b(?:this|that) (?:one|text|result|view|law|paper|document|page|article|theory|statement|claim|proposition|theorem"
    r"|definition|proposal|section|entry|note|conjecture|hypothesis|specification|standard|idea|concept|principle)\b"
    r"|[这那此该本](?:篇|份|项|条|文|理|说|论|定|个(?:理|概|说|想|定|命|结|主|观))|它"
)
ASKING = re.compile(
    r"[?]|\b(?:what|which|who|whom|whose|when|where|why|how)\b|^(?:is|are|was|were|does|do|did|has|have|can|could)\b"
    r"|什么|哪|谁|何|怎|几|多少|吗|是否|有没有|如何"
)
#: A cue that asks by itself ("what changed", 被什麼取代) is the question, whatever else is said.
ASKS_ITSELF = re.compile(
    r"\b(?:what|which|who|where|when|why|how|has|have|is|are|was|does)\b|什么|哪|谁|何|怎|几|吗|有没有|是否|有无"
)
