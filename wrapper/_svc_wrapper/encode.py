"""JSON for every possible result of an agent.

`encode` turns any value into plain JSON data and never raises. A successful run must not fail because of its
result's type. A value without a JSON form becomes {"__type__", "repr"}.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import uuid
from collections import deque
from collections.abc import Mapping, Set
from typing import Any

from .pydantic_models import is_model

MAX_DEPTH = 100
MAX_REPR_CHARACTERS = 1000
# CPython refuses to print integers of more than 4300 digits; those are written in hexadecimal.
MAX_INTEGER_BITS = 14_000

ROLE_OF_MESSAGE_TYPE = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}


# json.dumps would create an encoder for each call.
AS_UNICODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
AS_ASCII = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


def to_json(value: Any) -> bytes:
    plain = encode(value)
    try:
        return AS_UNICODE.encode(plain).encode()
    except UnicodeEncodeError:
        # Lone surrogates have no UTF-8 form, but JSON can escape them.
        return AS_ASCII.encode(plain).encode()


def encode(value: Any) -> Any:
    return Encoder().encode(value, 0)


class Encoder:
    """One traversal of one value. It records the enclosing containers, so that a cycle ends."""

    def __init__(self) -> None:
        self.open: set[int] = set()

    def encode(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if depth > MAX_DEPTH or id(value) in self.open:
            return opaque(value)
        self.open.add(id(value))
        try:
            return self.encode_open(value, depth + 1)
        except Exception:
            # Foreign code runs here (properties, serialisers, __iter__) and can raise any exception.
            return opaque(value)
        finally:
            self.open.discard(id(value))

    def encode_open(self, value: Any, depth: int) -> Any:
        # Most values by far, so they skip the questions about frameworks.
        if type(value) is dict:
            return self.encode_mapping(value, depth)
        if type(value) is list:
            return [self.encode(item, depth) for item in value]
        if isinstance(value, enum.Enum):
            return self.encode(value.value, depth)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return int(value) if value.bit_length() <= MAX_INTEGER_BITS else hex(value)
        if isinstance(value, float):
            # As in JavaScript and pydantic: JSON has no NaN and no infinities.
            return float(value) if math.isfinite(value) else None
        if is_message(value):
            return self.encode_message(value, depth)
        if is_crew_output(value):
            return self.encode_crew_output(value, depth)
        if is_model(value):
            return self.encode_model(value, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return self.encode_mapping(fields, depth)
        if isinstance(value, Mapping):
            return self.encode_mapping(value, depth)
        if isinstance(value, tuple) and hasattr(value, "_asdict"):
            return self.encode_mapping(value._asdict(), depth)
        if isinstance(value, (list, tuple, deque)):
            return [self.encode(item, depth) for item in value]
        if isinstance(value, Set):
            return [self.encode(item, depth) for item in in_order(value)]
        if isinstance(value, (bytes, bytearray, memoryview)):
            return base64.b64encode(bytes(value)).decode("ascii")
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        if isinstance(value, (uuid.UUID, decimal.Decimal)):
            return str(value)
        if isinstance(value, os.PathLike):
            return os.fsdecode(value)
        if is_numpy(value):
            return self.encode(value.tolist(), depth)
        return opaque(value)

    def encode_mapping(self, mapping: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        return {key if type(key) is str else key_text(key): self.encode(item, depth) for key, item in mapping.items()}

    def encode_model(self, model: Any, depth: int) -> Any:
        try:
            # Uses the model's own serialisers; NaN and Any fields are encoded afterwards.
            return self.encode(model.model_dump(mode="json"), depth)
        except Exception:
            return self.encode_mapping(dict(model), depth)

    def encode_message(self, message: Any, depth: int) -> dict[str, Any]:
        """`{role, content}` can be sent back to the graph unchanged; other fields are present when they have a
        value.
        """
        kind = str(message.type)
        encoded: dict[str, Any] = {
            "role": ROLE_OF_MESSAGE_TYPE.get(kind, kind),
            "content": self.encode(message.content, depth),
        }
        optional = {
            "id": message.id,
            "name": getattr(message, "name", None),
            "tool_call_id": getattr(message, "tool_call_id", None),
            "tool_calls": getattr(message, "tool_calls", None),
            "usage": getattr(message, "usage_metadata", None),
        }
        encoded.update({key: self.encode(item, depth) for key, item in optional.items() if item})
        return encoded

    def encode_crew_output(self, output: Any, depth: int) -> dict[str, Any]:
        """A crew can succeed although tools failed, so `tool_failures` is always present."""
        tasks = [
            {"name": task.name, "agent": task.agent, "raw": task.raw} for task in getattr(output, "tasks_output", ())
        ]
        encoded = {
            "raw": output.raw,
            "json": getattr(output, "json_dict", None),
            "pydantic": output.pydantic,
            "tasks": tasks,
            "token_usage": getattr(output, "token_usage", None),
            "tool_failures": getattr(output, "tool_failures", ()),
        }
        return self.encode_mapping(encoded, depth)


def opaque(value: Any) -> dict[str, str]:
    try:
        text = repr(value)
    except Exception as error:
        text = f"<repr failed: {type(error).__name__}>"
    return {"__type__": type(value).__name__, "repr": text[:MAX_REPR_CHARACTERS]}


def key_text(key: Any) -> str:
    if isinstance(key, enum.Enum):
        return key_text(key.value)
    if isinstance(key, str):
        return str.__str__(key)
    try:
        return str(key)
    except Exception:
        return f"<{type(key).__name__}>"


def in_order(items: Set[Any]) -> list[Any]:
    """Sets have no order; sorting gives equal results equal JSON."""
    try:
        return sorted(items)
    except TypeError:
        return sorted(items, key=repr)


# The shape of a value identifies its framework. A container has only one of the two frameworks, so importing the other
# would fail.


def is_message(value: Any) -> bool:
    return has_base(value, "BaseMessage", "langchain_core.messages")


def is_crew_output(value: Any) -> bool:
    return has_base(value, "CrewOutput", "crewai.") or has_base(value, "LiteAgentOutput", "crewai.")


def is_numpy(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "numpy" and hasattr(value, "tolist")


def has_base(value: Any, name: str, module: str) -> bool:
    return any(base.__name__ == name and base.__module__.startswith(module) for base in type(value).__mro__)
