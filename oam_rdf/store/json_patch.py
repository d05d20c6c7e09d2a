"""The difference between two JSON values as a JSON Patch (RFC 6902: add, remove and replace), and its application."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 and 1.0 are one number, true is none."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def difference(old: Any, new: Any, path: str = "") -> Iterator[dict[str, Any]]:
    """Operations that make ``new`` of ``old``; lists of unequal length are replaced as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key not in new:
                yield {"op": "remove", "path": f"{path}/{_escaped(key)}"}
        for key, value in new.items():
            if key in old:
                yield from difference(old[key], value, f"{path}/{_escaped(key)}")
            else:
                yield {"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from difference(one, other, f"{path}/{number}")
    elif not same(old, new):
        yield {"op": "replace", "path": path, "value": new}


def patched(value: Any, operations: Sequence[dict[str, Any]]) -> Any:
    """``value`` (changed in place where it can be) after the operations; one whose place is gone is passed over."""
    for operation in operations:
        if not operation["path"]:
            value = operation["value"]
            continue
        *way, last = [_plain(part) for part in operation["path"].split("/")[1:]]
        holder = value
        for part in way:
            holder = _at(holder, part)
        if isinstance(holder, dict) and (last in holder or operation["op"] == "add"):
            if operation["op"] == "remove":
                del holder[last]
            else:
                holder[last] = operation["value"]
        elif isinstance(holder, list) and last.isdecimal() and int(last) < len(holder) and operation["op"] == "replace":
            holder[int(last)] = operation["value"]
    return value


def _at(holder: Any, part: str) -> Any:
    if isinstance(holder, dict):
        return holder.get(part)
    if isinstance(holder, list) and part.isdecimal() and int(part) < len(holder):
        return holder[int(part)]
    return None


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _plain(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")
