"""The content of a span as text: JSON of at most MAX_TEXT characters, without the values of secrets.

It reads any value of the user's code, in the sender's thread. So it calls no code of the value where fields are enough,
and reads no more than it prints. Such a value can change before it is read: `snapshot` keeps its two outer levels.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import functools
import itertools
import json
import math
import os
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Set
from typing import Any

from ..agent_error import masked, masked_start
from ..encode import ROLE_OF_MESSAGE_TYPE, key_text

# The service keeps no more of a text.
MAX_TEXT = 32_768
MAX_DEPTH = 20
# More do not fit into a text.
MAX_ITEMS = 4096
MESSAGE_FIELDS = ("name", "tool_call_id", "tool_calls")

AS_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def text_of(value: Any) -> str:
    if isinstance(value, str):
        return masked_start(value, MAX_TEXT)
    try:
        text = AS_TEXT.encode(Reader().plain(value, 0))
    except Exception as error:
        # Another thread changed the value meanwhile, or a property of it raised.
        return f"<not readable: {type(error).__name__}>"
    return masked(text)[:MAX_TEXT]


def snapshot(value: Any) -> Any:
    """Later changes of these two levels do not show. Changes of an object inside them do."""
    if type(value) is dict:
        some = value.items() if len(value) <= MAX_ITEMS else itertools.islice(value.items(), MAX_ITEMS)
        return {key: copied(item) for key, item in some}
    if type(value) is list:
        return [copied(item) for item in value[:MAX_ITEMS]]
    return value


def copied(value: Any) -> Any:
    if type(value) is list:
        return value[:MAX_ITEMS]
    return value.copy() if type(value) is dict and len(value) <= MAX_ITEMS else value


class Reader:
    """One traversal, which ends when the text is long enough."""

    def __init__(self) -> None:
        self.room = MAX_TEXT

    def plain(self, value: Any, depth: int) -> Any:
        self.room -= 4
        if value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            return self.string(value)
        if self.room <= 0 or depth > MAX_DEPTH:
            return "…"
        return reader_of(type(value))(self, value, depth + 1)

    def string(self, value: str) -> str:
        room = max(self.room, 0)
        self.room -= len(value)
        text = str.__str__(value)
        return text if len(text) <= room else masked_start(text, room) + "…"

    def number(self, value: Any, _: int) -> Any:
        if isinstance(value, float):
            # JSON has no NaN.
            return float(value) if math.isfinite(value) else str(value)
        # Python prints no integer of many digits.
        return int(value) if value.bit_length() <= 64 else self.string(hex(value)[:MAX_TEXT])

    def mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, item in value.items():
            if self.room <= 0:
                plain["…"] = "…"
                break
            plain[self.string(key_text(key))] = self.plain(item, depth)
        return plain

    def items(self, value: Any, depth: int) -> list[Any]:
        plain: list[Any] = []
        for item in value:
            if self.room <= 0:
                plain.append("…")
                break
            plain.append(self.plain(item, depth))
        return plain

    def message(self, value: Any, depth: int) -> dict[str, Any]:
        kind = str(value.type)
        plain = {"role": ROLE_OF_MESSAGE_TYPE.get(kind, kind), "content": self.plain(value.content, depth)}
        # By name in its own dictionary: pydantic searches long for a field that a kind of message has not.
        fields = vars(value)
        for name in MESSAGE_FIELDS:
            given = fields.get(name)
            if given:
                plain[name] = self.plain(given, depth)
        return plain

    def model(self, value: Any, depth: int) -> dict[str, Any]:
        fields = type(value).model_fields
        shown = {name: item for name, item in vars(value).items() if name not in fields or not fields[name].exclude}
        return self.mapping(shown, depth)

    def dataclass(self, value: Any, depth: int) -> dict[str, Any]:
        # A field that repr() leaves out is not for other eyes.
        shown = {one.name: getattr(value, one.name) for one in dataclasses.fields(value) if one.repr}
        return self.mapping(shown, depth)

    def enumerated(self, value: enum.Enum, depth: int) -> Any:
        return self.plain(value.value, depth)

    def printed(self, value: Any, _: int) -> str:
        return self.string(str(value))

    def raised(self, value: BaseException, _: int) -> str:
        return self.string(f"{type(value).__name__}: {value}")

    def opaque(self, value: Any, _: int) -> str:
        """The representation of a foreign value can be large, slow, or bound to its thread."""
        return self.string(f"<{type(value).__name__}>")


Read = Callable[[Reader, Any, int], Any]

PRINTED = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, uuid.UUID, decimal.Decimal, os.PathLike)


@functools.lru_cache(1000)
def reader_of(kind: type) -> Read:
    readers: list[tuple[bool, Read]] = [
        (issubclass(kind, enum.Enum), Reader.enumerated),
        (issubclass(kind, (int, float)), Reader.number),
        (has_base_of(kind, "BaseMessage", "langchain_core.messages"), Reader.message),
        (has_base_of(kind, "BaseModel", "pydantic") and hasattr(kind, "model_fields"), Reader.model),
        (dataclasses.is_dataclass(kind), Reader.dataclass),
        (issubclass(kind, Mapping), Reader.mapping),
        (issubclass(kind, (list, tuple, deque, Set)), Reader.items),
        (issubclass(kind, PRINTED), Reader.printed),
        (issubclass(kind, BaseException), Reader.raised),
    ]
    return next((read for holds, read in readers if holds), Reader.opaque)


def has_base_of(kind: type, name: str, module: str) -> bool:
    return any(base.__name__ == name and base.__module__.startswith(module) for base in kind.__mro__)
