"""Who may talk to a server on this machine: requests for its own names only.

A web page that makes its own domain resolve to 127.0.0.1 (DNS rebinding) reaches the server with that domain in Host
and Origin; both are compared with a short list.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from flask import Flask, Response, request

from oam_server.problems import Problem

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})


def hostname(authority: str) -> str:
    """The host of ``host[:port]`` in lower case, without brackets and trailing dot; "" if it is none."""
    try:
        parts = urlsplit("//" + authority.strip())
        parts.port  # noqa: B018 (raises for what is no port)
    except ValueError:
        return ""
    if parts.path or parts.query or parts.fragment or parts.username is not None:
        return ""
    return (parts.hostname or "").rstrip(".")


def register(app: Flask, allowed_hosts: Collection[str]) -> None:
    """Answer 403 where Host, or Origin if there is one, is not local and not in ``allowed_hosts`` (names or
    host:port)."""
    allowed = LOCAL_HOSTS | {hostname(host) for host in allowed_hosts} - {""}

    @app.before_request
    def check() -> None:
        if hostname(request.environ.get("HTTP_HOST", "")) not in allowed:
            raise Problem(403, "this server does not answer under that host name", hint="use 127.0.0.1 or localhost")
        origin = request.headers.get("Origin")
        if origin is not None and not _allowed_origin(origin, allowed):
            raise Problem(403, "requests from pages of another site are refused")

    @app.after_request
    def harden(response: Response) -> Response:
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "no-referrer")
        return response


def _allowed_origin(origin: str, allowed: Collection[str]) -> bool:
    scheme, separator, authority = origin.partition("://")
    return bool(separator) and scheme in ("http", "https") and hostname(authority) in allowed
