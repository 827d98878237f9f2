"""What the memory config of the agent says about the messages of a model call. The service writes it as JSON."""

from __future__ import annotations

import json

from ...memory.door import Door
from ...settings.settings import Settings
from .model_input import Narrowing, narrow_models
from .summarizer import Summarizer
from .summary import Summary
from .units import Limits
from .window import Window


def install(settings: Settings) -> None:
    """Before the user's code is imported."""
    if settings.framework == "langgraph" and settings.memory_messages:
        narrow_models(read_narrowing(settings.memory_messages, settings))


def read_narrowing(written: str, settings: Settings) -> Narrowing:
    said = json.loads(written)
    limits = Limits(said.get("max_messages"), said.get("max_tokens"))
    if said["kind"] == "window":
        return Window(limits)
    door = Door(settings.service_url or "", settings.gateway_key or "")
    return Summary(limits, Summarizer(door, said["model"], said["format"]))
