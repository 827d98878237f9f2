"""The messages of a model call as units that stay or go together.

A call of tools and its results are one unit: without the other, vendors refuse each of them. Only units of the graph's
state can go. System messages, and messages that the code adds for this call, stay.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

# A rough measure that needs no table of any vendor.
CHARACTERS_OF_A_TOKEN = 4
TOKENS_OF_A_MESSAGE = 4
# An image or a file.
TOKENS_OF_A_PART = 300
RESULTS = ("tool", "function")


@dataclass(frozen=True)
class Limits:
    # None: not limited.
    messages: int | None
    tokens: int | None

    def allow(self, units: Sequence[Unit]) -> bool:
        messages = sum(len(unit.places) for unit in units)
        tokens = sum(unit.tokens for unit in units)
        return (self.messages is None or messages <= self.messages) and (self.tokens is None or tokens <= self.tokens)

    def half(self) -> Limits:
        return Limits(*(None if most is None else max(1, most // 2) for most in (self.messages, self.tokens)))


@dataclass(frozen=True)
class Unit:
    # Places in the list of messages.
    places: tuple[int, ...]
    tokens: int
    # False: it stays.
    can_go: bool
    is_human: bool


def units_of(messages: Sequence[Any], of_state: Collection[int]) -> list[Unit]:
    """`of_state`: the places of the messages that are in the graph's state."""
    last_result = {
        message.tool_call_id: place for place, message in enumerate(messages) if getattr(message, "tool_call_id", None)
    }
    groups: list[list[int]] = []
    end = -1
    for place, message in enumerate(messages):
        if place <= end or (groups and message.type in RESULTS):
            groups[-1].append(place)
        else:
            groups.append([place])
        called = [call.get("id") for call in getattr(message, "tool_calls", None) or ()]
        end = max([end, *(last_result.get(name, -1) for name in called)])
    return [unit_of(group, messages, of_state) for group in groups]


def unit_of(places: list[int], messages: Sequence[Any], of_state: Collection[int]) -> Unit:
    members = [messages[place] for place in places]
    stays = any(
        place not in of_state or message.type == "system" for place, message in zip(places, members, strict=True)
    )
    tokens = sum(tokens_of(message) for message in members)
    return Unit(tuple(places), tokens, can_go=not stays, is_human=members[0].type == "human")


def tokens_of(message: Any) -> int:
    content = message.content
    parts = [content] if isinstance(content, str) else list(content or ())
    texts = [text for part in parts if (text := text_in(part)) is not None]
    calls = json.dumps(getattr(message, "tool_calls", None) or [], default=str)
    characters = sum(len(text) for text in texts) + (len(calls) if len(calls) > 2 else 0)
    others = len(parts) - len(texts)
    return TOKENS_OF_A_MESSAGE + -(-characters // CHARACTERS_OF_A_TOKEN) + others * TOKENS_OF_A_PART


def text_in(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def newest(units: Sequence[Unit], limits: Limits) -> int:
    """Where the newest part within the limits begins. The last unit is always in it."""
    begin = max(0, len(units) - 1)
    while begin > 0 and limits.allow(units[begin - 1 :]):
        begin -= 1
    return begin


def with_question(units: Sequence[Unit], begin: int) -> list[Unit]:
    """The units from `begin`, with the last words of the person: an agent that calls many tools keeps its task."""
    kept = list(units[begin:])
    if any(unit.is_human for unit in kept):
        return kept
    asked = next((unit for unit in reversed(units[:begin]) if unit.is_human), None)
    return kept if asked is None else [asked, *kept]
