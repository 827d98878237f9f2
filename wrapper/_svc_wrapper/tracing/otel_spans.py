"""Spans of OpenTelemetry: of the instrumentors for crewai and the vendors' clients, and of the user's own code.

Every provider of its SDK gets one more span processor, also those of the user's code. The instrumentors start after the
user's code is imported, so that its own ones have precedence.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from .. import log
from ..after_import import after_import
from ..agent import JsonObject
from ..agent_error import masked
from ..runs.run_identity import RunIdentity, current, trace_id
from .open_spans import OpenSpan, OpenSpans, innermost_open
from .otlp import CONTENT, SPAN_KIND, clip, kept_attributes, key_values
from .span_queue import QueuedSpan

# The package of the user's code, and the instrumentor that traces it.
INSTRUMENTORS = {
    "crewai": ("openinference.instrumentation.crewai", "CrewAIInstrumentor"),
    "openai": ("openinference.instrumentation.openai", "OpenAIInstrumentor"),
    "anthropic": ("openinference.instrumentation.anthropic", "AnthropicInstrumentor"),
    "litellm": ("openinference.instrumentation.litellm", "LiteLLMInstrumentor"),
}


class OtelSpans:
    def __init__(
        self,
        spans: OpenSpans,
        add: Callable[[QueuedSpan], None],
        leave_out: Callable[[str, str], None],
        *,
        instruments: bool,
    ) -> None:
        """Before the user's code is imported."""
        self.spans = spans
        self.add = add
        self.leave_out = leave_out
        self.instruments = instruments
        after_import("opentelemetry.sdk.trace", self._join_providers)

    def instrument(self) -> None:
        """After the user's code is imported."""
        if not self.instruments:
            return
        try:
            provide()
        except Exception as error:
            log.warning("not_traced", reason=f"{type(error).__name__}: {error}")
            return
        for package, (module, name) in INSTRUMENTORS.items():
            after_import(package, functools.partial(self._start, package, module, name))

    @contextlib.contextmanager
    def in_trace(self, run: RunIdentity) -> Iterator[None]:
        parent = remote_parent(run.traceparent)
        if parent is None:
            yield
            return
        from opentelemetry import context

        token = context.attach(parent)
        try:
            yield
        finally:
            context.detach(token)

    def on_start(self, span: Any) -> None:
        """Ignores a span outside the trace of its run, and one that another span of ours has already."""
        enclosing = innermost_open()
        # An instrumentation names its parent itself, or the run's own span.
        parent = self.spans.find(span.parent.span_id if span.parent else None) or enclosing
        run = current.get() or (parent.run if parent else None)
        if run is None or not run.is_open or trace_id(run.traceparent) != f"{span.context.trace_id:032x}":
            return
        is_model = (span.attributes or {}).get(SPAN_KIND) == "LLM"
        if is_langchain(span) or (is_model and enclosing is not None and enclosing.is_model):
            return
        self.spans.start(span.context.span_id, OpenSpan(run, parent, is_model, id=span.context.span_id))

    def on_end(self, span: Any) -> None:
        ended = self.spans.end(span.context.span_id)
        if ended is not None and ended.run.token is not None:
            self.add(QueuedSpan(ended.run.token, functools.partial(to_otlp, span, ended)))

    def _start(self, package: str, module: str, name: str, _: Any) -> None:
        """A fault of an instrumentor leaves its package untraced, and nothing else."""
        try:
            instrumentor = getattr(importlib.import_module(module), name)()
            if not is_instrumented(package):
                instrumentor.instrument()
            if not is_instrumented(package):
                self.leave_out(package, "its version does not fit its instrumentor")
        except ModuleNotFoundError:
            log.info("not_traced", package=package, reason="the image has no instrumentor of it")
        except Exception as error:
            self.leave_out(package, f"{type(error).__name__}: {error}")

    def _join_providers(self, sdk: Any) -> None:
        spans = self

        class Processor(sdk.SpanProcessor):
            """The provider that ends is one of several, so its end is not ours."""

            def on_start(self, span: Any, parent_context: Any = None) -> None:
                spans.on_start(span)

            def on_end(self, span: Any) -> None:
                spans.on_end(span)

        processor = Processor()
        make = sdk.TracerProvider.__init__

        def make_joined(provider: Any, *args: Any, **kwargs: Any) -> None:
            make(provider, *args, **kwargs)
            provider.add_span_processor(processor)

        sdk.TracerProvider.__init__ = make_joined


def is_langchain(span: Any) -> bool:
    """True for a span of an instrumentor in the user's code. The handler of langchain has a span of the same run."""
    scope = getattr(span, "instrumentation_scope", None)
    return getattr(scope, "name", "").rpartition(".")[2] == "langchain"


def to_otlp(span: Any, ended: OpenSpan) -> JsonObject:
    """In the sender's thread; a span that has ended does not change."""
    hidden = ended.run.hidden
    attributes = kept_attributes(span.attributes or {}, hidden)
    if ended.run.thread_id is not None:
        attributes["session.id"] = ended.run.thread_id
    if ended.is_metered:
        attributes["svc.metered"] = True
    return {
        "traceId": f"{span.context.trace_id:032x}",
        "spanId": f"{span.context.span_id:016x}",
        "parentSpanId": ended.parent_id(),
        "name": masked(span.name),
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": key_values(attributes),
        "status": {"code": span.status.status_code.value},
        "events": [exception_event(event, hidden) for event in span.events if event.name == "exception"],
    }


def provide() -> None:
    """A provider of ours where the user's code has set none."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return
    ours = TracerProvider(shutdown_on_exit=False)
    trace.set_tracer_provider(ours)
    set_provider = trace.set_tracer_provider

    def set_or_join(given: Any) -> None:
        """The user's code sets its provider during a run. OpenTelemetry would refuse the second one."""
        processor = getattr(given, "_active_span_processor", None)
        if processor is None:
            set_provider(given)
        else:
            ours.add_span_processor(processor)

    trace.set_tracer_provider = set_or_join


def is_instrumented(package: str) -> bool:
    """By the user's code, with any instrumentor."""
    from opentelemetry.instrumentation.instrumentor import BaseInstrumentor

    # Each class has one instance.
    made = [getattr(kind, "_instance", None) for kind in BaseInstrumentor.__subclasses__()]
    return any(
        one.is_instrumented_by_opentelemetry and package in map(name_of, one.instrumentation_dependencies())
        for one in made
        if one is not None
    )


def name_of(requirement: str) -> str:
    return re.split(r"[^\w-]", requirement, maxsplit=1)[0].replace("-", "_").lower()


def remote_parent(traceparent: str | None) -> Any:
    """The span of the ingress, in a context."""
    from opentelemetry import trace

    parts = (traceparent or "").split("-")
    if len(parts) != 4:
        return None
    _, trace_id, span_id, flags = parts
    flags_of_trace = trace.TraceFlags(int(flags, 16))
    span = trace.SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=True, trace_flags=flags_of_trace)
    return trace.set_span_in_context(trace.NonRecordingSpan(span))


def exception_event(event: Any, hidden: frozenset[str]) -> dict[str, Any]:
    """A message can repeat the content."""
    shown = ["exception.type"] if hidden & CONTENT else ["exception.type", "exception.message"]
    facts = {name: clip(value) for name, value in (event.attributes or {}).items() if name in shown}
    return {"name": "exception", "timeUnixNano": str(event.timestamp), "attributes": key_values(facts)}
