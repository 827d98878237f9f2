"""The run of a call, and the headers that name it on requests to the gateway.

The run is in a context variable. So it follows async code, the threads of langgraph and crewai, and each thread
that gets a copy of the context. Code in another thread has no run: the gateway counts its calls as the agent's own.
"""

from __future__ import annotations

import contextlib
import urllib.parse
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass

RUN_HEADER = "X-Svc-Run"
TRACE_HEADER = "traceparent"

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass
class RunIdentity:
    """As the ingress sends it. The token is for the service; nothing here reads it."""

    token: str | None = None
    traceparent: str | None = None
    is_open: bool = True


@dataclass(frozen=True)
class Origin:
    """The scheme, host and port of a URL."""

    scheme: str
    host: str
    port: int | None

    @staticmethod
    def of(scheme: str, host: str | None, port: int | None) -> Origin:
        return Origin(scheme, (host or "").lower(), port or DEFAULT_PORTS.get(scheme))

    @staticmethod
    def of_url(url: str) -> Origin:
        parts = urllib.parse.urlsplit(url)
        return Origin.of(parts.scheme, parts.hostname, parts.port)


current: ContextVar[RunIdentity | None] = ContextVar("svc_run", default=None)


@contextlib.contextmanager
def in_run(run: RunIdentity) -> Iterator[None]:
    """A task that the user's code leaves behind has no run after the end, because it can work for other runs."""
    token = current.set(run)
    try:
        yield
    finally:
        run.is_open = False
        current.reset(token)


def run_headers(given_trace: str | None) -> dict[str, str]:
    """For a request to the gateway that has this `traceparent`. The user's own span in the same trace stays."""
    run = current.get()
    if run is None or not run.is_open:
        return {}
    headers: dict[str, str] = {}
    if run.token is not None:
        headers[RUN_HEADER] = run.token
    if run.traceparent is not None and trace_id(given_trace) != trace_id(run.traceparent):
        headers[TRACE_HEADER] = run.traceparent
    return headers


def trace_id(traceparent: str | None) -> str | None:
    parts = (traceparent or "").split("-")
    return parts[1] if len(parts) == 4 else None
