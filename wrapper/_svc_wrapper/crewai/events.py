"""Translates crewai's events during a run into AG-UI events.

crewai calls the sink in the thread of the event, and waits for it. The sink only gets events of the run's own
context. So events arrive in order, and parallel runs do not mix.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

from ..agent import Event
from ..stream.agui import Transcript
from ..stream.run_stream import RunStream


class RunWasCancelled(BaseException):
    """Not an Exception, because crewai retries those, and this one must end the crew's thread."""


class CrewEvents:
    def __init__(self, stream: RunStream | None, cancelled: threading.Event) -> None:
        self.stream = stream
        self.cancelled = cancelled
        self.lock = threading.Lock()
        # Tasks with streamed text; their text is not repeated at their end.
        self.streamed_tasks: set[str | None] = set()
        self.tool_calls: list[tuple[str, str]] = []

    def __call__(self, source: Any, event: Any) -> None:
        if self.cancelled.is_set():
            raise RunWasCancelled
        if self.stream:
            # Tasks of a crew can run in parallel threads, with one transcript.
            with self.lock:
                self.stream.send_from_thread(self._translate(self.stream.transcript, source, event))

    def _translate(self, transcript: Transcript, source: Any, event: Any) -> list[Event]:
        kind = getattr(event, "type", "")
        task_id = str(getattr(event, "task_id", None) or "agent")
        if kind == "task_started":
            return transcript.step(step_name(source, event))
        if kind == "llm_stream_chunk" and event.chunk and not event.tool_call:
            self.streamed_tasks.add(task_id)
            return transcript.text(event.call_id, event.chunk)
        if kind in ("llm_call_completed", "llm_call_failed"):
            return transcript.text_end(event.call_id)
        if kind == "tool_usage_started":
            return self._tool_started(transcript, event)
        if kind in ("tool_usage_finished", "tool_usage_error"):
            return self._tool_ended(transcript, event)
        if kind == "task_failed":
            return transcript.step_end(step_name(source, event))
        if kind == "task_completed":
            told = task_id in self.streamed_tasks
            text = [] if told else whole_text(transcript, f"task-{task_id}", event.output.raw)
            return [*text, *transcript.step_end(step_name(source, event))]
        if kind == "lite_agent_execution_completed" and task_id not in self.streamed_tasks:
            return whole_text(transcript, event.event_id, str(event.output))
        return []

    def _tool_started(self, transcript: Transcript, event: Any) -> list[Event]:
        call_id = event.event_id
        self.tool_calls.append((event.tool_name, call_id))
        arguments = event.tool_args if isinstance(event.tool_args, str) else json.dumps(event.tool_args, default=str)
        return [
            *transcript.tool_call(call_id, event.tool_name),
            *transcript.tool_arguments(call_id, arguments),
            *transcript.tool_call_end(call_id),
        ]

    def _tool_ended(self, transcript: Transcript, event: Any) -> list[Event]:
        """crewai names the tool, not the call, so this ends the oldest open call of that tool."""
        for entry in self.tool_calls:
            if entry[0] == event.tool_name:
                self.tool_calls.remove(entry)
                result = getattr(event, "output", None) if event.type == "tool_usage_finished" else event.error
                return transcript.tool_result(entry[1], str(result))
        return []


@contextlib.contextmanager
def tell_events(events: CrewEvents) -> Iterator[None]:
    """Inside it, crewai's events of this context go to `events`.

    crewai has such sinks since 1.15. With an older version a run sends only its beginning, its end and its
    result.
    """
    try:
        from crewai.events.stream_context import add_stream_sink, reset_stream_sinks
    except ImportError:
        yield
        return
    token = add_stream_sink(events)
    try:
        yield
    finally:
        reset_stream_sinks(token)


def step_name(source: Any, event: Any) -> str:
    name = getattr(event, "task_name", None) or getattr(source, "name", None) or getattr(source, "description", None)
    return str(name or "task").strip().splitlines()[0][:200]


def whole_text(transcript: Transcript, message_id: str, text: str) -> list[Event]:
    return [*transcript.text(message_id, text), *transcript.text_end(message_id)] if text else []
