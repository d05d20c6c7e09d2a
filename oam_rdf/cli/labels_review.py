"""What the verbs invalidate, epistemic, evidence run and review say, in the three languages."""

from __future__ import annotations

LABELS: dict[str, tuple[str, str, str]] = {  # zh-Hant, zh-Hans, en
    # invalidate
    "stands": ("{id} 仍成立；若撤回，下列須重新查看：", "{id} 仍成立；若撤回，下列须重新查看：",
               "{id} still stands; if it fell, these would have to be looked at again:"),
    "fell": ("{id} 為 {status}；下列須重新查看：", "{id} 为 {status}；下列须重新查看：",
             "{id} is {status}; these have to be looked at again:"),
    "nothing rests": ("沒有物件依據 {id}。", "没有对象依据 {id}。", "Nothing rests on {id}."),
    "hops": ("距離 {hops}：{count} 項", "距离 {hops}：{count} 项", "{count} at distance {hops}"),
    "path": ("路徑 {path}", "路径 {path}", "path {path}"),
    "also": ("另有支持：{path}", "另有支持：{path}", "also upheld by: {path}"),
    "more": ("另有 {count} 項未列（--limit）", "另有 {count} 项未列（--limit）", "{count} more are not shown (--limit)"),
    "preview": ("僅為預覽，未寫入；--apply 標記之。", "仅为预览，未写入；--apply 标记之。",
                "A preview, nothing was written; --apply flags them."),
    "flagged": ("已標記 {count} 項；復原：oam invalidate --undo {run} --by NAME",
                "已标记 {count} 项；复原：oam invalidate --undo {run} --by NAME",
                "{count} flagged; take back by: oam invalidate --undo {run} --by NAME"),
    "flagged none": ("沒有新項目須標記。", "没有新项目须标记。", "Nothing new is to be flagged."),
    "undone": ("已收回 {count} 項標記。", "已收回 {count} 项标记。", "{count} flags taken back."),
    # epistemic
    "counts": ("各狀態（未列出者以括號標示）：", "各状态（未列出者以括号标示）：", "by state (in brackets: not listed):"),
    "listed": ("列出 {shown}／{total} 項", "列出 {shown}／{total} 项", "{shown} of {total} listed"),
    "no claims": ("沒有帶狀態的物件。", "没有带状态的对象。", "No object with a state."),
    "evidence": ("證據 {count}", "证据 {count}", "evidence {count}"),
    "superseded": ("已被 {new} 取代", "已被 {new} 取代", "superseded by {new}"),
    "set": ("{id}：{before} → {after}，{time}", "{id}：{before} → {after}，{time}", "{id}: {before} → {after}, {time}"),
    "no state": ("（無）", "（无）", "(none)"),
    "undated": ("未記時間", "未记时间", "undated"),
    "source": ("來源", "来源", "its source"),
    "by": ("由 {agent}", "由 {agent}", "by {agent}"),
    "no history": ("{id} 目前為 {state}；沒有記錄的評定。", "{id} 目前为 {state}；没有记录的评定。",
                   "{id} counts as {state}; no assessment is recorded."),
    # evidence run
    "check": ("{id}：{kind}，檢驗 {claims}", "{id}：{kind}，检验 {claims}", "{id}: {kind} of {claims}"),
    "command": ("命令 {command}", "命令 {command}", "command {command}"),
    "input": ("輸入 {path}  sha256 {sha256}", "输入 {path}  sha256 {sha256}", "input {path}  sha256 {sha256}"),
    "expected": ("預期輸出 sha256 {sha256}", "预期输出 sha256 {sha256}", "expected output sha256 {sha256}"),
    "limits": ("上限：處理器時間 {seconds} 秒，記憶體 {memory} MiB；無網路，看不到其他檔案",
               "上限：处理器时间 {seconds} 秒，内存 {memory} MiB；无网络，看不到其他文件",
               "limits {seconds} s of processor time, {memory} MiB; no network, no other files"),
    "files fit": ("{count} 個輸入檔均與雜湊值相符；未執行任何程式。", "{count} 个输入文件均与哈希值相符；未执行任何程序。",
                  "{count} input files have their hashes; nothing was run."),
    "run it": ("執行？", "执行？", "Run it?"),
    "ended": ("{id}：{outcome}（{reason}）", "{id}：{outcome}（{reason}）", "{id}: {outcome} ({reason})"),
    "printed": ("輸出 sha256 {sha256}", "输出 sha256 {sha256}", "output sha256 {sha256}"),
    "recorded": ("已記為 {id}，修訂號 {revision}", "已记为 {id}，修订号 {revision}", "recorded as {id}, revision {revision}"),
    "proposes": ("提議：{id} → {state}；由 oam review 決定", "提议：{id} → {state}；由 oam review 决定",
                 "proposed: {id} → {state}; decide it in oam review"),
    "still needs": ("尚需：{missing}", "尚需：{missing}", "still needs {missing}"),
    # review
    "empty": ("沒有待覆核者。", "没有待复核者。", "Nothing waits for review."),
    "waiting": ("待覆核：", "待复核：", "waiting for review:"),
    "kind count": ("{count}  {kind}", "{count}  {kind}", "{count}  {kind}"),
    "confidence": ("信心 {number}，{who}", "信心 {number}，{who}", "confidence {number} by {who}"),
    "asked": ("[a] 接受  [r] 否決  [s] 略過  [c 概念或裁定] 改為  [q] 結束",
              "[a] 接受  [r] 否决  [s] 略过  [c 概念或裁定] 改为  [q] 结束",
              "[a]ccept  [r]eject  [s]kip  [c CONCEPT or VERDICT] change  [q]uit"),
    "because": ("理由（可空）：", "理由（可空）：", "reason (may be empty):"),
    "not understood": ("不懂「{text}」。", "不懂「{text}」。", "“{text}” is none of these."),
    "made": ("已寫入 {count} 項決定。", "已写入 {count} 项决定。", "{count} decisions written."),
    "exported": ("{count} 項已寫入 {file}；填好 decision 後以 --import 匯入。",
                 "{count} 项已写入 {file}；填好 decision 后以 --import 导入。",
                 "{count} entries written to {file}; fill in decision and bring it back by --import."),
}  # fmt: skip
_COLUMN = {"zh-Hant": 0, "zh-Hans": 1, "en": 2}


def say(key: str, ui: str, **values: object) -> str:
    """A sentence in the interface language ``ui``."""
    return LABELS[key][_COLUMN[ui]].format(**values)
