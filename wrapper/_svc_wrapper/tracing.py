"""Traces of the user's code, without a change to it.

Every provider of OpenTelemetry's SDK gets one more span processor, also those of the user's code. The instrumentors
start after the user's code is imported, so that its own ones have precedence.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from typing import Any

from . import log
from .after_import import after_import
from .open_spans import OpenSpans, starts_model
from .otlp import CONTENT, clip, kept_attributes, key_values
from .run_identity import RunIdentity
from .settings import Settings
from .span_queue import QueuedSpan, SpanQueue

# The package of the user's code, and the instrumentor that traces it.
INSTRUMENTORS = {
    "langchain_core": ("openinference.instrumentation.langchain", "LangChainInstrumentor"),
    "crewai": ("openinference.instrumentation.crewai", "CrewAIInstrumentor"),
    "openai": ("openinference.instrumentation.openai", "OpenAIInstrumentor"),
    "anthropic": ("openinference.instrumentation.anthropic", "AnthropicInstrumentor"),
    "litellm": ("openinference.instrumentation.litellm", "LiteLLMInstrumentor"),
}
# After the replies, and within the time that the process has for its end.
FLUSH_SECONDS = 1.5
# As the service takes it.
MAX_NOTICE = 1000
SPAN_KIND = "openinference.span.kind"


class Tracing:
    def __init__(self, settings: Settings) -> None:
        """Before the user's code is imported. Without the SDK in the image, nothing is traced."""
        self.open_spans = OpenSpans()
        self.queue: SpanQueue | None = None
        self.provider: Any = None
        # For people: the packages that are not traced.
        self.notices: list[str] = []
        if not settings.traces or not settings.gateway_url or not settings.gateway_key or not has_sdk():
            return
        resource = {
            "service.name": settings.agent_name,
            "service.version": settings.agent_version,
            "svc.revision": settings.revision,
        }
        self.queue = SpanQueue(f"{settings.gateway_url}/v1/traces", settings.gateway_key, resource)
        after_import("opentelemetry.sdk.trace", self._join_providers)

    def instrument(self) -> None:
        """After the user's code is imported."""
        if self.queue is None:
            return
        try:
            self._provide()
        except Exception as error:
            log.warning("not_traced", reason=f"{type(error).__name__}: {error}")
            return
        for package, (module, name) in INSTRUMENTORS.items():
            after_import(package, functools.partial(self._start, package, module, name))

    @contextlib.contextmanager
    def in_trace(self, run: RunIdentity) -> Iterator[None]:
        """Spans without a parent continue the trace of the run."""
        parent = None if self.provider is None else remote_parent(run.traceparent)
        if parent is None:
            yield
            return
        from opentelemetry import context

        token = context.attach(parent)
        try:
            yield
        finally:
            context.detach(token)

    def close(self) -> None:
        if self.queue is not None:
            self.queue.close(FLUSH_SECONDS)

    def on_start(self, span: Any) -> None:
        parent_id = span.parent.span_id if span.parent else None
        kind = (span.attributes or {}).get(SPAN_KIND)
        is_model = starts_model.get() or kind == "LLM"
        self.open_spans.start(span.context.span_id, parent_id, span.context.trace_id, is_model=is_model)

    def on_end(self, span: Any) -> None:
        ended = self.open_spans.end(span.context.span_id)
        if ended is None or ended.run.token is None or self.queue is None:
            return
        hidden = ended.run.hidden
        attributes = kept_attributes(span.attributes or {}, hidden)
        if ended.run.thread_id is not None:
            attributes["session.id"] = ended.run.thread_id
        sent = {
            "traceId": f"{span.context.trace_id:032x}",
            "spanId": f"{span.context.span_id:016x}",
            "parentSpanId": f"{ended.parent.id:016x}" if ended.parent else (ended.run.traceparent or "").split("-")[2],
            "name": span.name,
            "kind": span.kind.value + 1,
            "startTimeUnixNano": str(span.start_time),
            "endTimeUnixNano": str(span.end_time),
            "attributes": key_values(attributes),
            "status": {"code": span.status.status_code.value},
            "events": [exception_event(event, hidden) for event in span.events if event.name == "exception"],
        }
        size = 500 + sum(len(str(value)) for value in attributes.values())
        self.queue.add(QueuedSpan(ended.run.token, sent, size))

    def _start(self, package: str, module: str, name: str, _: Any) -> None:
        """A fault of an instrumentor leaves its package untraced, and nothing else."""
        try:
            instrumentor = getattr(importlib.import_module(module), name)()
            if package == "langchain_core":
                mark_models(importlib.import_module(f"{module}._tracer").OpenInferenceTracer)
            if not is_instrumented(package):
                instrumentor.instrument()
            if not is_instrumented(package):
                self._leave_out(package, "its version does not fit its instrumentor")
        except ModuleNotFoundError:
            log.info("not_traced", package=package, reason="the image has no instrumentor of it")
        except Exception as error:
            self._leave_out(package, f"{type(error).__name__}: {error}")

    def _leave_out(self, package: str, reason: str) -> None:
        log.warning("not_traced", package=package, reason=reason)
        self.notices.append(f"{package} is not traced: {reason}"[:MAX_NOTICE])

    def _join_providers(self, sdk: Any) -> None:
        tracing = self

        class Processor(sdk.SpanProcessor):
            """The provider that ends is one of several, so its end is not ours."""

            def on_start(self, span: Any, parent_context: Any = None) -> None:
                tracing.on_start(span)

            def on_end(self, span: Any) -> None:
                tracing.on_end(span)

        processor = Processor()
        make = sdk.TracerProvider.__init__

        def make_joined(provider: Any, *args: Any, **kwargs: Any) -> None:
            make(provider, *args, **kwargs)
            provider.add_span_processor(processor)

        sdk.TracerProvider.__init__ = make_joined

    def _provide(self) -> None:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        self.provider = trace.get_tracer_provider()
        if not isinstance(self.provider, trace.ProxyTracerProvider):
            return
        ours = self.provider = TracerProvider(shutdown_on_exit=False)
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


def has_sdk() -> bool:
    try:
        return importlib.util.find_spec("opentelemetry.sdk") is not None
    except ModuleNotFoundError:
        return False


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


def mark_models(tracer: Any) -> None:
    # In a thread of the pool, where langchain calls it otherwise, it would not know the span around it.
    tracer.run_inline = True
    for name in ("on_llm_start", "on_chat_model_start"):
        setattr(tracer, name, marked(getattr(tracer, name)))


def marked(start: Callable[..., Any]) -> Callable[..., Any]:
    def start_marked(*args: Any, **kwargs: Any) -> Any:
        token = starts_model.set(True)
        try:
            return start(*args, **kwargs)
        finally:
            starts_model.reset(token)

    return start_marked


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
