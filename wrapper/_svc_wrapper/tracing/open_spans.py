"""The spans of a run that have not ended, and the innermost one in each context.

langchain makes no span current, because it cannot end that safely. So a span that has ended is skipped here, and its
nearest open ancestor counts.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Hashable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..runs.run_identity import RunIdentity, current

# The bound for spans that never end.
MAX_OPEN = 20_000


def new_span_id() -> int:
    return random.getrandbits(64) or 1


@dataclass(eq=False)
class OpenSpan:
    run: RunIdentity
    parent: OpenSpan | None
    is_model: bool = False
    id: int = field(default_factory=new_span_id)
    is_open: bool = True
    # A request to the gateway was sent in it, so the gateway counts its tokens.
    is_metered: bool = False
    # What its maker needs at its end.
    begun: Any = None

    def parent_id(self) -> str:
        return f"{self.parent.id:016x}" if self.parent else (self.run.traceparent or "").split("-")[2]


innermost: ContextVar[OpenSpan | None] = ContextVar("svc_span", default=None)


def innermost_open() -> OpenSpan | None:
    """The innermost open span of this context's run."""
    span = innermost.get()
    while span is not None and not span.is_open:
        span = span.parent
    return span if span is not None and span.run is current.get() else None


class OpenSpans:
    """By the names that their makers give them: ids of OpenTelemetry, and of langchain's runs."""

    def __init__(self) -> None:
        self.by_name: dict[Hashable, OpenSpan] = {}
        self.lock = threading.Lock()

    def find(self, name: Hashable) -> OpenSpan | None:
        return self.by_name.get(name)

    def start(self, name: Hashable, span: OpenSpan) -> None:
        """Ignores a name that is open already."""
        with self.lock:
            if name in self.by_name:
                return
            if len(self.by_name) >= MAX_OPEN:
                del self.by_name[next(iter(self.by_name))]
            self.by_name[name] = span
        innermost.set(span)

    def end(self, name: Hashable) -> OpenSpan | None:
        """None for an ignored span, and for one that has ended."""
        with self.lock:
            span = self.by_name.pop(name, None)
        if span is not None:
            span.is_open = False
        return span
