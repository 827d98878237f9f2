"""Requests to the service about what it keeps: states of threads, items of the store, and prompts.

Those about threads and items name the run by its token. The service decides from the token whose thread and whose
items these are, so a request names neither an agent nor a caller. A service that restarts is waited for.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode, urlsplit

from ..outgoing.run_headers import RUN_HEADER

# As long as a restart of the service takes.
PATIENCE_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0
# One more try helps: the service restarts, or asks for a pause.
PASSING = (429, 502, 503)
MAX_IDLE_CONNECTIONS = 16
# An answer's detail goes into a sentence for people.
MAX_DETAIL = 500


class DoorRefused(Exception):
    """The service has answered with a refusal."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


class DoorNotReached(Exception):
    """No answer of the service within the time."""


@dataclass(frozen=True)
class Ask:
    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"

    @property
    def target(self) -> str:
        return f"{self.path}?{urlencode(self.query, quote_via=quote, safe='')}" if self.query else self.path


class Door:
    """For any thread. Idle connections are used again, because each request of a run would open one."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        self.host = parts.hostname or ""
        self.port = parts.port
        self.base = parts.path.rstrip("/")
        self.tls = ssl.create_default_context() if parts.scheme == "https" else None
        self.key = key
        self.lock = threading.Lock()
        self.idle: list[http.client.HTTPConnection] = []

    def ask(self, ask: Ask, *, token: str | None, within_seconds: float = PATIENCE_SECONDS) -> bytes:
        """The body of the answer. Without a token it is about no run. Raises DoorRefused and DoorNotReached."""
        end = time.monotonic() + within_seconds
        pause = FIRST_PAUSE_SECONDS
        while True:
            failure: DoorRefused | DoorNotReached
            wait = pause
            try:
                status, headers, body = self._send(ask, token, max(end - time.monotonic(), FIRST_PAUSE_SECONDS))
            except (OSError, http.client.HTTPException) as error:
                failure = DoorNotReached(f"{type(error).__name__}: {error}")
            else:
                if status < 300:
                    return body
                failure = refusal_of(status, body)
                if status not in PASSING:
                    raise failure
                wait = max(pause, seconds_of(headers.get("retry-after", "")))
            if time.monotonic() + wait > end:
                raise failure
            time.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _send(self, ask: Ask, token: str | None, timeout: float) -> tuple[int, Mapping[str, str], bytes]:
        headers = {"authorization": f"Bearer {self.key}"}
        if token is not None:
            headers[RUN_HEADER.lower()] = token
        if ask.body is not None:
            headers["content-type"] = ask.content_type
        connection = self._taken()
        if connection is not None:
            try:
                return self._exchange(connection, ask, headers, timeout)
            except (OSError, http.client.HTTPException):
                # The service closes a connection that was idle for long. A new one shows if it is there.
                connection.close()
        connection = self._opened(timeout)
        try:
            return self._exchange(connection, ask, headers, timeout)
        except BaseException:
            connection.close()
            raise

    def _exchange(
        self, connection: http.client.HTTPConnection, ask: Ask, headers: Mapping[str, str], timeout: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request(ask.method, self.base + ask.target, ask.body, headers)
        response = connection.getresponse()
        body = response.read()
        answered = {name.lower(): value for name, value in response.getheaders()}
        self._give_back(connection)
        return response.status, answered, body

    def _taken(self) -> http.client.HTTPConnection | None:
        with self.lock:
            return self.idle.pop() if self.idle else None

    def _opened(self, timeout: float) -> http.client.HTTPConnection:
        if self.tls is not None:
            return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def _give_back(self, connection: http.client.HTTPConnection) -> None:
        with self.lock:
            if len(self.idle) < MAX_IDLE_CONNECTIONS:
                self.idle.append(connection)
                return
        connection.close()


def refusal_of(status: int, body: bytes) -> DoorRefused:
    try:
        problem = json.loads(body)
        # The gateway refuses in the form of the model's vendor.
        told = problem.get("error", problem)
        code, detail = str(told.get("code") or told["type"]), str(told.get("detail") or told["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        code, detail = "refused", f"the service answered {status}"
    return DoorRefused(status, code, detail[:MAX_DETAIL])


def seconds_of(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0
