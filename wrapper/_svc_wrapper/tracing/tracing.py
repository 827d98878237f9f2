"""Traces of the user's code, without a change to it.

langchain and langgraph report their runs to a handler (`langchain_spans.py`). crewai and the vendors' clients have
OpenTelemetry's instrumentors (`otel_spans.py`). Both make one tree (`open_spans.py`) and share one queue.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from .. import log
from ..after_import import after_import
from ..runs.run_identity import RunIdentity
from ..settings.settings import Settings
from .open_spans import OpenSpans
from .otel_spans import OtelSpans
from .span_queue import SpanQueue

# After the replies, and within the time that the process has for its end.
FLUSH_SECONDS = 1.5
# As the service takes it.
MAX_NOTICE = 1000

# langchain asks for it at the start of each run.
handler: ContextVar[Any] = ContextVar("svc_langchain_handler", default=None)


class Tracing:
    def __init__(self, settings: Settings) -> None:
        """Before the user's code is imported."""
        self.queue: SpanQueue | None = None
        self.langchain: Any = None
        self.otel: OtelSpans | None = None
        # For people: the packages that are not traced.
        self.notices: list[str] = []
        if not settings.traces or not settings.service_url or not settings.gateway_key:
            return
        resource = {
            "service.name": settings.agent_name,
            "service.version": settings.agent_version,
            "svc.revision": settings.revision,
        }
        self.queue = SpanQueue(f"{settings.service_url}/v1/traces", settings.gateway_key, resource)
        self.spans = OpenSpans()
        if has_otel():
            # A graph has its own handler. A provider of the user's code is joined, and none is set.
            self.otel = OtelSpans(
                self.spans, self.queue.add, self._leave_out, instruments=settings.framework == "crewai"
            )

    def instrument(self) -> None:
        """After the user's code is imported."""
        if self.queue is not None:
            after_import("langchain_core", functools.partial(self._handle_langchain, self.queue))
        if self.otel is not None:
            self.otel.instrument()

    @contextlib.contextmanager
    def in_trace(self, run: RunIdentity) -> Iterator[None]:
        """Spans without a parent continue the trace of the run."""
        token = handler.set(self.langchain)
        try:
            with self.otel.in_trace(run) if self.otel else contextlib.nullcontext():
                yield
        finally:
            handler.reset(token)

    def close(self) -> None:
        if self.queue is not None:
            self.queue.close(FLUSH_SECONDS)

    def _handle_langchain(self, queue: SpanQueue, _: Any) -> None:
        """A version that the handler does not fit leaves langchain untraced, and nothing else."""
        try:
            from langchain_core.tracers.context import register_configure_hook

            from .langchain_spans import LangchainSpans

            self.langchain = LangchainSpans(self.spans, queue.add)
            register_configure_hook(handler, inheritable=True)
        except Exception as error:
            self._leave_out("langchain_core", f"{type(error).__name__}: {error}")
        # The run that imports langchain is traced too.
        handler.set(self.langchain)

    def _leave_out(self, package: str, reason: str) -> None:
        log.warning("not_traced", package=package, reason=reason)
        self.notices.append(f"{package} is not traced: {reason}"[:MAX_NOTICE])


def has_otel() -> bool:
    try:
        return importlib.util.find_spec("opentelemetry.sdk") is not None
    except ModuleNotFoundError:
        return False
