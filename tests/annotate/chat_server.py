"""A local server that speaks the chat-completions protocol and says what a test wants it to say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What one request gets: (status, headers, body as a JSON value or raw text, seconds before the answer).
Reply = tuple[int, dict[str, str], Any, float]


def said(content: str) -> Any:
    """The body of a chat completion whose message is ``content``."""
    message = {"role": "assistant", "content": content}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


class ChatServer:
    """Answers POST /v1/chat/completions with ``reply(number of the request, its body)``."""

    def __init__(self, reply: Callable[[int, dict[str, Any]], Reply]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.times: list[float] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                outer.times.append(time.monotonic())
                status, headers, value, delay = reply(len(outer.requests), body)
                time.sleep(delay)
                if self.path != "/v1/chat/completions":
                    status, value = 404, {"error": {"message": "no such path"}}
                raw = (value if isinstance(value, str) else json.dumps(value)).encode()
                try:
                    self.send_response(status)
                    for name, text in {"Content-Type": "application/json", **headers}.items():
                        self.send_header(name, text)
                    self.send_header("Content-Length", str(len(raw)))
                    self.end_headers()
                    self.wfile.write(raw)
                except OSError:
                    pass  # the client gave up waiting, as the test wants

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
