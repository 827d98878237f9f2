"""The headers that name the run on requests to the gateway, and the span that sends them."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass

from .open_spans import innermost_open
from .run_identity import current, trace_id

RUN_HEADER = "X-Svc-Run"
TRACE_HEADER = "traceparent"

DEFAULT_PORTS = {"http": 80, "https": 443}


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


def run_headers(given_trace: str | None) -> dict[str, str]:
    """For a request to the gateway that has this `traceparent`. The user's own span in the same trace stays."""
    run = current.get()
    if run is None or not run.is_open:
        return {}
    headers: dict[str, str] = {}
    if run.token is not None:
        headers[RUN_HEADER] = run.token
    if run.traceparent is not None and trace_id(given_trace) != trace_id(run.traceparent):
        span = innermost_open()
        headers[TRACE_HEADER] = run.traceparent if span is None else run.traceparent_of(span.id)
    return headers
