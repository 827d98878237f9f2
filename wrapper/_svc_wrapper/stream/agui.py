"""The events of /stream in the AG-UI protocol (ag-ui.com/spec/1.0), with its camelCase fields.

An event has the members of the protocol alone, and an optional member without a value is left out. `Transcript` records
the open messages, tool calls and steps, and ends each of them. So a client that checks the sequence of a run's events
finds it valid.
"""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any

from ..agent import Event, JsonObject

PROTOCOL_VERSION = "1.0"


class Transcript:
    """Every method returns the events to send, in order, and sends none."""

    def __init__(self, run_id: str, thread_id: str) -> None:
        self.run_id = run_id
        self.thread_id = thread_id
        self.open_messages: list[str] = []
        self.ended_messages: set[str] = set()
        self.open_tool_calls: list[str] = []
        self.ended_tool_calls: set[str] = set()
        self.open_steps: Counter[str] = Counter()

    def started(self) -> Event:
        return {"type": "RUN_STARTED", **self._run(), "protocolVersion": PROTOCOL_VERSION}

    def text(self, message_id: str, delta: str) -> list[Event]:
        events: list[Event] = []
        if message_id in self.ended_messages:
            return events
        if message_id not in self.open_messages:
            self.open_messages.append(message_id)
            events.append({"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"})
        if delta:
            events.append({"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": delta})
        return events

    def text_end(self, message_id: str) -> list[Event]:
        if message_id not in self.open_messages:
            return []
        self.open_messages.remove(message_id)
        self.ended_messages.add(message_id)
        return [{"type": "TEXT_MESSAGE_END", "messageId": message_id}]

    def tool_call(self, call_id: str, name: str, parent_message_id: str | None = None) -> list[Event]:
        if call_id in self.open_tool_calls or call_id in self.ended_tool_calls:
            return []
        self.open_tool_calls.append(call_id)
        parent = {"parentMessageId": parent_message_id} if parent_message_id else {}
        return [{"type": "TOOL_CALL_START", "toolCallId": call_id, "toolCallName": name, **parent}]

    def tool_arguments(self, call_id: str, delta: str) -> list[Event]:
        if not delta or call_id not in self.open_tool_calls:
            return []
        return [{"type": "TOOL_CALL_ARGS", "toolCallId": call_id, "delta": delta}]

    def tool_call_end(self, call_id: str) -> list[Event]:
        if call_id not in self.open_tool_calls:
            return []
        self.open_tool_calls.remove(call_id)
        self.ended_tool_calls.add(call_id)
        return [{"type": "TOOL_CALL_END", "toolCallId": call_id}]

    def tool_result(self, call_id: str, content: str, message_id: str | None = None) -> list[Event]:
        result = {
            "type": "TOOL_CALL_RESULT",
            "messageId": message_id or str(uuid.uuid4()),
            "toolCallId": call_id,
            "content": content,
            "role": "tool",
        }
        return [*self.tool_call_end(call_id), result]

    def step(self, name: str) -> list[Event]:
        """Parallel steps of one name become one, because AG-UI identifies a step by its name."""
        self.open_steps[name] += 1
        return [{"type": "STEP_STARTED", "stepName": name}] if self.open_steps[name] == 1 else []

    def step_end(self, name: str) -> list[Event]:
        if self.open_steps[name] == 0:
            return []
        self.open_steps[name] -= 1
        return [{"type": "STEP_FINISHED", "stepName": name}] if self.open_steps[name] == 0 else []

    def state(self, snapshot: Any) -> list[Event]:
        return [{"type": "STATE_SNAPSHOT", "snapshot": snapshot}]

    def custom(self, name: str, value: Any) -> list[Event]:
        return [{"type": "CUSTOM", "name": name, "value": value}]

    def finished(self, result: Any, interrupts: list[JsonObject]) -> list[Event]:
        outcome: JsonObject = {"type": "success"}
        if interrupts:
            outcome = {"type": "interrupt", "interrupts": [interrupt_for_client(item) for item in interrupts]}
        said = {} if result is None else {"result": result}
        return [*self.close_all(), {"type": "RUN_FINISHED", **self._run(), **said, "outcome": outcome}]

    def cancelled(self) -> list[Event]:
        return [*self.close_all(), {"type": "RUN_FINISHED", **self._run(), "outcome": {"type": "cancelled"}}]

    def failed(self, code: str, message: str) -> list[Event]:
        return [*self.close_all(), {"type": "RUN_ERROR", "code": code, "message": message}]

    def _run(self) -> JsonObject:
        return {"threadId": self.thread_id, "runId": self.run_id}

    def close_all(self) -> list[Event]:
        events = [event for message_id in list(self.open_messages) for event in self.text_end(message_id)]
        events += [event for call_id in list(self.open_tool_calls) for event in self.tool_call_end(call_id)]
        events += [{"type": "STEP_FINISHED", "stepName": name} for name, count in self.open_steps.items() if count]
        self.open_steps.clear()
        return events


def interrupt_for_client(interrupt: JsonObject) -> JsonObject:
    return {
        "id": interrupt.get("id") or str(uuid.uuid4()),
        "reason": "interrupt",
        "metadata": {"value": interrupt.get("value")},
        **({"responseSchema": interrupt["response_schema"]} if "response_schema" in interrupt else {}),
    }
