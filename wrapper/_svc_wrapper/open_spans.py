"""The spans of a run that have not ended, and the innermost one in each context.

langchain's instrumentation makes no span current, because it cannot end that safely. So a span that has ended is
skipped here, and its nearest open ancestor counts.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar
from dataclasses import dataclass

from .run_identity import RunIdentity, current, trace_id

# Of spans that never end.
MAX_OPEN = 20_000


@dataclass(eq=False)
class OpenSpan:
    id: int
    parent: OpenSpan | None
    run: RunIdentity
    is_model: bool
    is_open: bool = True


innermost: ContextVar[OpenSpan | None] = ContextVar("svc_span", default=None)
# True while the framework reports the start of a call to a model.
starts_model: ContextVar[bool] = ContextVar("svc_starts_model", default=False)


def innermost_open() -> OpenSpan | None:
    """Of the run of this context."""
    span = innermost.get()
    while span is not None and not span.is_open:
        span = span.parent
    return span if span is not None and span.run is current.get() else None


class OpenSpans:
    def __init__(self) -> None:
        self.by_id: dict[int, OpenSpan] = {}
        self.lock = threading.Lock()

    def start(self, span_id: int, parent_id: int | None, trace: int, *, is_model: bool) -> None:
        """Ignores a span outside the trace of its run, and the second span of one call to a model."""
        enclosing = innermost_open()
        # An instrumentation names its parent itself, or the run's own span.
        parent = self.by_id.get(parent_id or 0, enclosing)
        run = current.get() or (parent.run if parent else None)
        if run is None or not run.is_open or trace_id(run.traceparent) != f"{trace:032x}":
            return
        if is_model and enclosing is not None and enclosing.is_model:
            return
        span = OpenSpan(span_id, parent, run, is_model)
        with self.lock:
            if span_id in self.by_id:
                return
            if len(self.by_id) >= MAX_OPEN:
                del self.by_id[next(iter(self.by_id))]
            self.by_id[span_id] = span
        innermost.set(span)

    def end(self, span_id: int) -> OpenSpan | None:
        """None for an ignored span, and for one that has ended."""
        with self.lock:
            span = self.by_id.pop(span_id, None)
        if span is not None:
            span.is_open = False
        return span
