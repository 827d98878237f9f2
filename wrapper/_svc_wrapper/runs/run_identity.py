"""The run of a call.

The run is in a context variable. So it follows async code, the threads of langgraph and crewai, and each thread
that gets a copy of the context. Code in another thread has no run: the gateway counts its calls as the agent's own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(eq=False)
class RunIdentity:
    """As the ingress sends it. The token is for the service; nothing here reads it."""

    token: str | None = None
    traceparent: str | None = None
    # What its spans hide: inputs, outputs.
    hidden: frozenset[str] = frozenset()
    is_open: bool = True
    # Where the agent keeps threads.
    thread_id: str | None = None
    # Sends what the run has written to its thread, within this time; blocks. For an end without the agent's code.
    close_memory: Callable[[float], None] | None = None

    def traceparent_of(self, span_id: int) -> str:
        version, trace, _, flags = (self.traceparent or "").split("-")
        return f"{version}-{trace}-{span_id:016x}-{flags}"


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


def trace_id(traceparent: str | None) -> str | None:
    parts = (traceparent or "").split("-")
    return parts[1] if len(parts) == 4 else None
