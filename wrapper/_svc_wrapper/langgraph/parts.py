"""The parts of `graph.astream` for clients of langgraph's own API, in the JSON that langgraph's server gives."""

from __future__ import annotations

from typing import Any

from ..agent import Event
from ..encode import Encoder
from ..graph_options import GraphOptions
from ..stream.agui import Transcript

# The service's own members of a config, and langgraph's internal ones.
OWN = ("svc_", "__")
CONFIGS = ("config", "parent_config")


class LanggraphForm(Encoder):
    """As `encode`, with messages in langchain's own form, which its clients read back."""

    def encode_message(self, message: Any, depth: int) -> dict[str, Any]:
        return self.encode_mapping(message.model_dump(), depth)


def langgraph_form(value: Any) -> Any:
    return LanggraphForm().encode(value, 0)


class GraphParts:
    """The events of the parts that one call asks for."""

    def __init__(self, transcript: Transcript, options: GraphOptions) -> None:
        self.transcript = transcript
        self.modes = frozenset(options.modes)

    def of(self, ns: tuple[str, ...], mode: str, chunk: Any) -> list[Event]:
        if mode not in self.modes:
            return []
        data = langgraph_form(readable(mode, chunk))
        return self.transcript.custom("langgraph", {"mode": mode, "ns": list(ns), "data": data})


def readable(mode: str, chunk: Any) -> Any:
    if mode == "messages":
        message, metadata = chunk
        return [message, without_own(metadata)]
    if mode == "events":
        return {**chunk, "metadata": without_own(chunk.get("metadata"))}
    if mode == "checkpoints":
        return without_own_configs(chunk)
    if mode == "debug" and isinstance(chunk, dict):
        return {**chunk, "payload": without_own_configs(chunk.get("payload"))}
    return chunk


def without_own(members: Any) -> Any:
    if not isinstance(members, dict):
        return members
    return {key: value for key, value in members.items() if not str(key).startswith(OWN)}


def without_own_configs(payload: Any) -> Any:
    """A config of langgraph also has objects of the run in it, so only what names the state stays."""
    if not isinstance(payload, dict):
        return payload
    configs = {
        name: {"configurable": without_own(payload[name].get("configurable"))}
        for name in CONFIGS
        if isinstance(payload.get(name), dict)
    }
    return {**payload, **configs, "metadata": without_own(payload.get("metadata"))}
