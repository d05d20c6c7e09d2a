"""Request parameters: declared once per route, read from a query string or a JSON body, refused by name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import request

from oam_server.problems import Problem, bad_parameter

_TRUE, _FALSE = frozenset({"1", "true", "yes", "on", ""}), frozenset({"0", "false", "no", "off"})
MAX_TEXT = 10_000  # characters of a question or an id


@dataclass(frozen=True, slots=True)
class Param:
    """``kind``: text, int, flag, date, tag (a language), words (several, repeated or separated by commas).

    ``choices`` are upper case; ``low`` and ``high`` include themselves.
    """

    name: str
    kind: str = "text"
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    required: bool = False
    aliases: tuple[str, ...] = ()


def read(params: Sequence[Param]) -> dict[str, Any]:
    """The parameters that the request gives, by name and converted. Raises Problem 400 or 415."""
    if request.method == "POST":
        given: dict[str, list[Any]] = {
            name: list(value) if isinstance(value, list) else [value] for name, value in _json_body().items()
        }
        _add(given, request.args.lists())
    else:
        given = {}
        _add(given, request.args.lists())
    return parse(params, given)


def parse(params: Sequence[Param], given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """``given`` (name → values; JSON null counts as not given) checked against ``params``. Raises Problem 400."""
    by_name = {name: param for param in params for name in (param.name, *param.aliases)}
    found: dict[str, Any] = {}
    for name, values in given.items():
        param = by_name.get(name)
        if param is None:
            raise bad_parameter(name, "is not known here", "known: " + ", ".join(param.name for param in params))
        values = [value for value in values if value is not None]
        if not values:
            continue
        if param.name in found or (len(values) > 1 and param.kind != "words"):
            raise bad_parameter(name, "is given more than once")
        found[param.name] = _convert(name, param, values)
    for param in params:
        if param.required and param.name not in found:
            raise bad_parameter(param.name, "is missing")
    return found


def identifier(value: str) -> str:
    """An id from a path or a body, or Problem 400 for what can be none (a path upwards, control characters)."""
    if not value.strip() or len(value) > MAX_TEXT or any(ord(character) < 32 for character in value):
        raise Problem(400, "that is no id", parameter="id")
    if ".." in value.replace("\\", "/").split("/"):
        raise Problem(400, "an id is not a path: it names an object of the knowledge base", parameter="id")
    return value


def _add(given: dict[str, list[Any]], pairs: Iterable[tuple[str, list[str]]]) -> None:
    for name, values in pairs:
        given.setdefault(name, []).extend(values)


def _json_body() -> dict[str, Any]:
    if not request.get_data(cache=True):
        return {}
    if not request.is_json:
        raise Problem(415, "send application/json", available=["application/json"])
    try:
        body = json.loads(request.get_data().decode(), object_pairs_hook=_once)
    except RecursionError as error:
        raise Problem(400, "the body is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise Problem(400, f"the body is not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        detail = f"the body is not JSON: {error.msg}"
        raise Problem(400, detail, line=error.lineno, column=error.colno) from error
    if not isinstance(body, dict):
        raise Problem(400, "the body must be a JSON object")
    return body


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise bad_parameter(name, "is given more than once")
        found[name] = value
    return found


def _convert(name: str, param: Param, values: list[Any]) -> Any:
    value = values[0]
    if param.kind == "int":
        return _int(name, param, value)
    if param.kind == "flag":
        return _flag(name, value)
    if any(not isinstance(value, str) for value in values):
        raise bad_parameter(name, "must be text")
    if any(len(value) > MAX_TEXT or "\x00" in value for value in values):
        raise bad_parameter(name, f"must be at most {MAX_TEXT} characters, none of them NUL")
    if any("\ud800" <= character <= "\udfff" for value in values for character in value):
        raise bad_parameter(name, "is not UTF-8")
    if param.kind == "date":
        return _date(name, value)
    if param.kind == "tag" and not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", value):
        raise bad_parameter(name, f"{value!r} is no language tag", "write en, zh-Hant or zh-Hans")
    if param.kind == "words":
        words = [word.strip() for value in values for word in value.split(",") if word.strip()]
        return tuple(_choice(name, param, word) for word in words)
    return _choice(name, param, value)


def _choice(name: str, param: Param, value: str) -> str:
    if not param.choices:
        return value
    if value.upper() not in param.choices:
        raise bad_parameter(name, f"{value!r} is none of its values", "one of " + ", ".join(param.choices))
    return value.upper()


def _int(name: str, param: Param, value: Any) -> int:
    try:
        number = int(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    except ValueError:
        number = None
    if number is None or not param.low <= number <= param.high:
        raise bad_parameter(name, f"must be a whole number from {param.low} to {param.high}")
    return number


def _flag(name: str, value: Any) -> bool:
    word = str(value).strip().lower()
    if word not in _TRUE | _FALSE:
        raise bad_parameter(name, "must be true or false")
    return word in _TRUE


def _date(name: str, value: str) -> str:
    try:
        datetime.fromisoformat(value.strip())
    except ValueError:
        raise bad_parameter(name, f"{value!r} is no date", "write 2026-07-31 or 2026-07-31T12:00:00+08:00") from None
    return value.strip()
