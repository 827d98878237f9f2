"""The headers that name the run on requests to the service, and the span that sends them."""

from __future__ import annotations

import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass

from ..runs.run_identity import current, trace_id
from ..tracing.open_spans import OpenSpan, innermost_open

RUN_HEADER = "X-Svc-Run"
TRACE_HEADER = "traceparent"

# The headers in which the clients of vendors send a key.
CREDENTIALS = ("authorization", "x-api-key", "x-goog-api-key")

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


# Calls of subagents and of tools, and reads of prompts. Every other path is of the models or the spans.
UNMETERED_PATHS = ("/agents/", "/mcp", "/prompts")


@dataclass(frozen=True)
class Service:
    """The one address at which the container reaches the service."""

    origin: Origin
    # The agent's gateway key. Most clients of models are given it. For those of Ollama and of A2A it is added here.
    key: str | None

    def headers(self, to: Origin, path: str, given: Mapping[str, str]) -> dict[str, str] | None:
        """For a request with these headers. None for one that goes elsewhere."""
        if to != self.origin:
            return None
        span = innermost_open()
        if span is not None and not path.startswith(UNMETERED_PATHS):
            span.is_metered = True
        added = run_headers(given.get(TRACE_HEADER), span)
        if self.key is not None and not any(name in given for name in CREDENTIALS):
            added["Authorization"] = f"Bearer {self.key}"
        return added


def run_headers(given_trace: str | None, span: OpenSpan | None) -> dict[str, str]:
    """For a request to the service that has this `traceparent`. The user's own span in the same trace stays."""
    run = current.get()
    if run is None or not run.is_open:
        return {}
    headers: dict[str, str] = {}
    if run.token is not None:
        headers[RUN_HEADER] = run.token
    if run.traceparent is not None and trace_id(given_trace) != trace_id(run.traceparent):
        headers[TRACE_HEADER] = run.traceparent if span is None else run.traceparent_of(span.id)
    return headers
