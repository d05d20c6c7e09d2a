"""Times as the facets keep them, written out: ISO 8601 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso_seconds(value: int) -> str:
    """Seconds since 1970 UTC as ``2026-07-31T00:00:00Z``."""
    return iso_micros(value * 1_000_000)


def iso_micros(value: int) -> str:
    """Microseconds since 1970 UTC as ``2026-07-31T00:00:00.000001Z``; "" for a time that no calendar has."""
    try:
        return (_EPOCH + timedelta(microseconds=value)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return ""
