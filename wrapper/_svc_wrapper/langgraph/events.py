"""Translates the items of `graph.astream` into AG-UI events."""

from __future__ import annotations

import json
import uuid
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, ToolMessage

from ..agent import Event
from ..stream.agui import Transcript


class GraphEvents:
    """One run's translation. The runner sends the run's own start and end."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        # Only the first chunk of a tool call has its id; later ones have (message, index).
        self.tool_call_ids: dict[tuple[str, Any], str] = {}

    def of(self, mode: str, chunk: Any) -> list[Event]:
        if mode == "messages":
            return self._message(chunk[0])
        if mode == "tasks":
            return self._task(chunk)
        if mode == "values":
            return self.transcript.state(without_marks(chunk))
        if mode == "custom":
            return self.transcript.custom("custom", chunk)
        return []

    def _task(self, task: dict[str, Any]) -> list[Event]:
        name = str(task.get("name"))
        return self.transcript.step_end(name) if "result" in task else self.transcript.step(name)

    def _message(self, message: Any) -> list[Event]:
        if isinstance(message, ToolMessage):
            return self.transcript.tool_result(message.tool_call_id, text_of(message.content), message.id)
        if isinstance(message, AIMessageChunk):
            return self._chunk(message)
        if isinstance(message, AIMessage):
            return self._whole(message)
        return []

    def _chunk(self, chunk: AIMessageChunk) -> list[Event]:
        message_id = chunk.id or "message"
        text = text_of(chunk.content)
        events = self.transcript.text(message_id, text) if text else []
        for part in chunk.tool_call_chunks:
            key = (message_id, part.get("index"))
            call_id = part.get("id") or self.tool_call_ids.get(key)
            if call_id is None:
                continue
            if part.get("id"):
                self.tool_call_ids[key] = call_id
                events += self.transcript.tool_call(call_id, part.get("name") or "tool", message_id)
            events += self.transcript.tool_arguments(call_id, part.get("args") or "")
        if getattr(chunk, "chunk_position", None) == "last":
            events += self.transcript.text_end(message_id)
            for (of_message, _), call_id in self.tool_call_ids.items():
                if of_message == message_id:
                    events += self.transcript.tool_call_end(call_id)
        return events

    def _whole(self, message: AIMessage) -> list[Event]:
        message_id = message.id or str(uuid.uuid4())
        text = text_of(message.content)
        events = [*self.transcript.text(message_id, text), *self.transcript.text_end(message_id)] if text else []
        for call in message.tool_calls:
            call_id = call.get("id") or str(uuid.uuid4())
            events += self.transcript.tool_call(call_id, call["name"], message_id)
            events += self.transcript.tool_arguments(call_id, json.dumps(call["args"], default=str))
            events += self.transcript.tool_call_end(call_id)
        return events


def text_of(content: Any) -> str:
    """Content is text, or a list of blocks, some with text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    parts = (block if isinstance(block, str) else block.get("text", "") for block in blocks)
    return "".join(part for part in parts if isinstance(part, str))


def without_marks(state: Any) -> Any:
    """A state without langgraph's own entries."""
    if not isinstance(state, dict):
        return state
    return {key: value for key, value in state.items() if not str(key).startswith("__")}
