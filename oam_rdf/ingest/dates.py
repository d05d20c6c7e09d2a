"""Dates as authors write them, as zoned xsd:dateTime text; one without a zone is taken as UTC ("Numbers and ids")."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}

_ISO = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?",
    re.IGNORECASE,
)
_HAN = re.compile(r"(\d{4})\s*年\s*(?:(\d{1,2})\s*月)?\s*(?:(\d{1,2})\s*[日號号])?")
_SLASH = re.compile(r"(\d{4})[/.](\d{1,2})(?:[/.](\d{1,2}))?(?!\d)")
_DAY_MONTH = re.compile(r"(\d{1,2})[-\s]([A-Za-z]{3,9})\.?,?[-\s](\d{4})")
_MONTH_DAY = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_MONTH = re.compile(r"([A-Za-z]{3,9})\.?\s+(\d{4})")
_YEAR_MONTH = re.compile(r"(\d{4})-(\d{2})(?!\d)")


def moment(text: str) -> str:
    """``text`` as ``2026-07-31T00:00:00Z``, the first date it holds; "" if it holds none.

    A date without a day or month begins it. Offsets are kept as written; fractions of a second are dropped.
    """
    text = text.strip()
    if iso := _ISO.search(text):
        year, month, day, hour, minute, second, zone = iso.groups()
        return _zoned(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), zone or "Z")
    for pattern, order in (
        (_HAN, "ymd"),
        (_SLASH, "ymd"),
        (_YEAR_MONTH, "ym"),
        (_DAY_MONTH, "dby"),
        (_MONTH_DAY, "bdy"),
        (_MONTH, "by"),
    ):
        if found := pattern.search(text):
            parts = dict(zip(order, found.groups(), strict=True))
            named = _MONTHS.get((parts.get("b") or "")[:3].casefold(), 0)
            month = named if "b" in parts else int(parts.get("m") or 1)
            if date := _zoned(int(parts["y"] or 0), month, int(parts.get("d") or 1), 0, 0, 0, "Z"):
                return date
    return ""


def has_zone(text: str) -> bool:
    """Whether the date in ``text`` says its zone."""
    iso = _ISO.search(text)
    return bool(iso and iso[7])


def _zoned(year: int, month: int, day: int, hour: int, minute: int, second: int, zone: str) -> str:
    try:
        value = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return ""
    if zone.upper() in ("Z", "UTC"):
        zone = "Z"
    elif ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    if zone != "Z" and not (int(zone[1:3]) <= 14 and int(zone[4:6]) < 60):
        return ""
    return value.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + zone
