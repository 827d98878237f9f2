"""Spans of langchain's runs, and so of langgraph's: a handler of callbacks that every run of the agent's code inherits.

The user's thread pays for two short calls a span. Texts, usage and secrets are the work of the sender's thread. A fault
of the handler never reaches the user's code, because langchain logs it and continues.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.tracers.base import BaseTracer

from ..agent import JsonObject
from ..agent_error import masked, masked_start
from ..runs.run_identity import current
from .langchain_usage import facts_of_result, messages_of, model_facts
from .open_spans import OpenSpan, OpenSpans, innermost_open
from .otlp import CONTENT, SPAN_KIND, clip, key_values
from .span_queue import QueuedSpan
from .span_text import MAX_TEXT, snapshot, text_of

# langgraph's ways to wait for a person and to go to another node; and the end of a stream that nobody reads on.
NO_ERRORS = {"GraphBubbleUp", "GeneratorExit"}
# An id in no run, for content that is hidden or missing.
NOTHING: Any = object()


@dataclass(frozen=True)
class Begun:
    kind: str
    name: str
    at_ns: int
    given: Any
    # From the user's thread; the sender's thread reads them.
    facts: Callable[[], Mapping[str, Any]] = dict


class LangchainSpans(BaseTracer):
    """A tracer by its type alone: langgraph gives tracers what the user's trace policies leave."""

    # Otherwise langchain calls it in a thread of the pool, and it does not know the context around it.
    run_inline = True

    def __init__(self, spans: OpenSpans, add: Callable[[QueuedSpan], None]) -> None:
        super().__init__()
        self.spans = spans
        self.add = add

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: UUID, **more: Any) -> None:
        self._start(run_id, more, "CHAIN", serialized, inputs)

    def on_tool_start(self, serialized: Any, input_str: str, *, run_id: UUID, **more: Any) -> None:
        name = name_of(serialized, more)
        facts = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        if isinstance(more.get("tool_call_id"), str):
            facts["gen_ai.tool.call.id"] = more["tool_call_id"]
        given = more.get("inputs")
        self._start(run_id, more, "TOOL", serialized, input_str if given is None else given, lambda: facts)

    def on_retriever_start(self, serialized: Any, query: str, *, run_id: UUID, **more: Any) -> None:
        self._start(run_id, more, "RETRIEVER", serialized, query)

    def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:
        self._start(run_id, more, "LLM", serialized, messages, functools.partial(model_facts, "chat", more))

    def on_llm_start(self, serialized: Any, prompts: Any, *, run_id: UUID, **more: Any) -> None:
        facts = functools.partial(model_facts, "text_completion", more)
        self._start(run_id, more, "LLM", serialized, prompts, facts)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, outputs)

    def on_tool_end(self, output: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, output)

    def on_retriever_end(self, documents: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, documents)

    def on_llm_end(self, response: Any, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, response)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:
        self._end(run_id, NOTHING, error)

    on_tool_error = on_retriever_error = on_llm_error = on_chain_error

    def on_llm_new_token(self, token: Any, **_: Any) -> None:
        """The last chunk has it all."""

    def on_retry(self, retry_state: Any, **_: Any) -> None:
        """The gateway has a span of each attempt."""

    def _persist_run(self, run: Any) -> None:
        """Never called: the tracer's own runs are not made."""

    def _start(
        self,
        run_id: UUID,
        more: Mapping[str, Any],
        kind: str,
        serialized: Any,
        given: Any,
        facts: Callable[[], Mapping[str, Any]] = dict,
    ) -> None:
        parent = self.spans.find(more.get("parent_run_id")) or innermost_open()
        run = current.get() or (parent.run if parent else None)
        if run is None or not run.is_open or run.token is None or run.traceparent is None:
            return
        is_model = kind == "LLM"
        # A model inside a model is one call.
        if is_model and parent is not None and parent.is_model:
            return
        shown = NOTHING if "inputs" in run.hidden else snapshot(given)
        begun = Begun(kind, name_of(serialized, more), time.time_ns(), shown, facts)
        self.spans.start(run_id, OpenSpan(run, parent, is_model, begun=begun))

    def _end(self, run_id: UUID, output: Any, error: BaseException | None = None) -> None:
        span = self.spans.end(run_id)
        if span is None or span.run.token is None:
            return
        ended = Ended(span, time.time_ns(), snapshot(output), None if error is None else failure_of(error))
        self.add(QueuedSpan(span.run.token, ended.to_otlp))


@dataclass(frozen=True)
class Failure:
    kind: str
    message: str


def failure_of(error: BaseException) -> Failure | None:
    """Its text now: an exception that waits keeps the variables of its whole stack."""
    if any(base.__name__ in NO_ERRORS for base in type(error).__mro__):
        return None
    try:
        message = str(error)
    except Exception:
        message = ""
    return Failure(type(error).__name__, message)


@dataclass(frozen=True)
class Ended:
    span: OpenSpan
    at_ns: int
    output: Any
    failure: Failure | None

    def to_otlp(self) -> JsonObject:
        run, begun, hidden = self.span.run, self.span.begun, self.span.run.hidden
        attributes = {SPAN_KIND: begun.kind, **begun.facts(), **self._content()}
        if begun.kind == "LLM" and self.output is not NOTHING:
            attributes.update(facts_of_result(self.output))
        if run.thread_id is not None:
            attributes["session.id"] = run.thread_id
        if self.span.is_metered:
            attributes["svc.metered"] = True
        known = {key: value for key, value in attributes.items() if value is not None and value != []}
        return {
            "traceId": (run.traceparent or "").split("-")[1],
            "spanId": f"{self.span.id:016x}",
            "parentSpanId": self.span.parent_id(),
            "name": masked(begun.name),
            "kind": 1,
            "startTimeUnixNano": str(begun.at_ns),
            "endTimeUnixNano": str(self.at_ns),
            "attributes": key_values({key: clip(value) for key, value in known.items()}),
            "status": {"code": 2 if self.failure else 1},
            "events": []
            if self.failure is None
            else [self._exception(self.failure, shows_message=not hidden & CONTENT)],
        }

    def _content(self) -> JsonObject:
        begun = self.span.begun
        is_model = begun.kind == "LLM"
        content: JsonObject = {}
        if begun.given is not NOTHING:
            content["input.value"] = text_of(only(begun.given) if is_model else begun.given)
        if self.output is not NOTHING and "outputs" not in self.span.run.hidden:
            content["output.value"] = text_of(messages_of(self.output) if is_model else self.output)
        return content

    def _exception(self, failure: Failure, *, shows_message: bool) -> JsonObject:
        """A message can repeat the content."""
        facts = {"exception.type": failure.kind}
        if shows_message:
            facts["exception.message"] = masked_start(failure.message, MAX_TEXT)
        return {"name": "exception", "timeUnixNano": str(self.at_ns), "attributes": key_values(facts)}


def name_of(serialized: Any, more: Mapping[str, Any]) -> str:
    given = more.get("name")
    if not given and isinstance(serialized, dict):
        path = serialized.get("id")
        given = serialized.get("name") or (path[-1] if isinstance(path, list) and path else None)
    return str(given or "run")


def only(batches: Sequence[Any]) -> Any:
    return batches[0] if len(batches) == 1 else batches
