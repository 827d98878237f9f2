"""A stand-in for the gateway: it answers calls to a model, and records every request and every span."""

from __future__ import annotations

import gzip
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "Final Answer: yes"


@dataclass(frozen=True)
class Recorded:
    path: str
    body: str
    run: str | None
    traceparent: str | None
    authorization: str | None


class RecordingGateway(ThreadingHTTPServer):
    """A context manager. `/redirect?to=…` answers with a redirect."""

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Recorder)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Recorded] = []
        self.exports: list[dict[str, Any]] = []
        # The answer to spans.
        self.traces_status = 200

    def __enter__(self) -> RecordingGateway:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Recorder(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RecordingGateway

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/v1/traces":
            if self.server.traces_status == 200:
                self.server.exports.append(json.loads(gzip.decompress(sent)))
            return self.reply(self.server.traces_status, b"{}")
        body = sent.decode()
        runs = self.headers.get_all("X-Svc-Run", [])
        run = ", ".join(runs) if runs else None
        trace, credential = self.headers.get("traceparent"), self.headers.get("authorization")
        self.server.requests.append(Recorded(self.path, body, run, trace, credential))
        path, _, address = self.path.partition("?to=")
        if path.endswith("/redirect"):
            self.reply(307, b"", {"location": address})
        elif path.endswith("/chat/completions"):
            self.reply_as_model(json.loads(body))
        else:
            self.reply(200, b"{}")

    do_GET = do_POST

    def reply_as_model(self, asked: dict[str, Any]) -> None:
        made: dict[str, Any] = {"id": "1", "created": 1, "model": "m"}
        message: dict[str, Any] = {"role": "assistant", "content": ANSWER}
        if asked.get("tools") and asked["messages"][-1]["role"] != "tool":
            called = {"name": asked["tools"][0]["function"]["name"], "arguments": "{}"}
            message = {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": called}]}
        if asked.get("stream"):
            choice: dict[str, Any] = {"index": 0, "delta": message, "finish_reason": "stop"}
            event = json.dumps({**made, "object": "chat.completion.chunk", "choices": [choice]})
            sent = f"data: {event}\n\ndata: [DONE]\n\n".encode()
            self.reply(200, sent, {"content-type": "text/event-stream"})
            return
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        answer = {**made, "object": "chat.completion", "choices": [choice], "usage": usage}
        self.reply(200, json.dumps(answer).encode())

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
