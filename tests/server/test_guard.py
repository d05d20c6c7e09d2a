"""Whom the server answers, and how it says no."""

from __future__ import annotations

import http.client
import logging
import threading

import pytest
from server_client import Ask

from oam_server.guard import hostname
from oam_server.negotiate import best, ranges


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200), ("localhost", 200), ("LOCALHOST:9999", 200), ("localhost.", 200), ("[::1]:80", 200),
        ("kb.example", 200), ("kb.example:1234", 200),
        ("evil.example", 403), ("evil.example:8765", 403), ("127.0.0.1.evil.example", 403), ("evil@localhost", 403),
        ("localhost/x", 403), ("localhost:port", 403), ("", 403), ("127.0.0.1, evil.example", 403), ("0.0.0.0", 403),
    ],
)  # fmt: skip
def test_host_names(ask: Ask, host: str, status: int) -> None:
    reply = ask("/health", headers={"Host": host})
    assert reply.status == status
    if status == 403:
        assert reply.type == "application/problem+json"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8765", 200), ("http://localhost", 200), ("https://kb.example", 200),
        ("https://evil.example", 403), ("http://localhost.evil.example", 403), ("null", 403), ("", 403),
        ("file://localhost", 403),
    ],
)  # fmt: skip
def test_origins(ask: Ask, origin: str, status: int) -> None:
    assert ask("/health", headers={"Origin": origin}).status == status


def test_a_page_of_another_site_reaches_no_route(ask: Ask) -> None:
    rebound = {"Origin": "https://evil.example", "Host": "evil.example", "Content-Type": "application/json"}
    for path in ("/search", "/navigate", "/sparql"):
        assert ask(path, method="POST", headers=rebound, body=b'{"q": "x"}').status == 403
    for path in ("/health", "/ready", "/trace/x", "/source/x", "/version/x", "/nowhere"):
        assert ask(path, headers=rebound).status == 403


def test_a_request_without_host_is_refused(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", "/health", skip_host=True)
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()


def test_errors_are_problem_documents(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.CRITICAL):
        broken = ask("/trace/broken")
    for reply, status in ((ask("/nowhere"), 404), (ask("/trace/x"), 404), (ask("/trace/locked"), 503), (broken, 500)):
        document = reply.json()
        assert (reply.status, document["status"], reply.type) == (status, status, "application/problem+json")
        assert document["title"] and document["detail"]
        assert reply.headers["x-content-type-options"] == "nosniff"
    assert "retry-after" in ask("/trace/locked").headers
    assert b"secret" not in broken.body and b"Traceback" not in broken.body


def test_health_and_ready(ask: Ask) -> None:
    assert ask("/health").json() == {"status": "ok"}
    ready = ask("/ready").json()
    assert ready["status"] == "ready"
    assert "root" not in ready
    assert ask("/health", headers={"Accept": "text/turtle"}).status == 406
    assert ask("/health", headers={"Accept": "text/html,*/*;q=0.1"}).status == 200


def test_fifty_requests_on_ten_connections(ask: Ask, port: int) -> None:
    seen: list[int] = []

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for _ in range(5):
            connection.request("GET", "/sparql?query=ASK%7B%3Fs%20%3Fp%20%3Fo%7D")
            response = connection.getresponse()
            response.read()
            seen.append(response.status)
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [200] * 50


def test_hostname_and_accept_are_read_strictly() -> None:
    assert [hostname(value) for value in ("[::1]:8", "a:b@c", "x:99999", " Host ")] == ["::1", "", "", "host"]
    assert ranges("a/b;q=0.5, */*;q=2, c/d;q=x, e") == [("a/b", 0.5)]
    assert best("a/*;q=0.1, a/b;q=0", ("a/b", "a/c")) == "a/c"
