from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import json
import uuid
from pathlib import Path
from typing import Any

import numpy
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, convert_to_messages
from pydantic import BaseModel, SecretStr

from _svc_wrapper.encode import encode, to_json

Named = collections.namedtuple("Named", "a b")


class Holder(BaseModel):
    anything: Any
    secret: SecretStr = SecretStr("s3cret")


@dataclasses.dataclass
class Pair:
    left: Any
    right: Any


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"a": [1, 2.5, None, True, "x"]}, {"a": [1, 2.5, None, True, "x"]}),
        ((1, 2), [1, 2]),
        ({3, 1, 2}, [1, 2, 3]),
        (b"hi", "aGk="),
        (float("nan"), None),
        (float("-inf"), None),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc), "2026-01-02T03:04:00+00:00"),
        (datetime.timedelta(minutes=1), 60.0),
        (decimal.Decimal("1.10"), "1.10"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("/tmp/x"), "/tmp/x"),
        (numpy.float64(1.5), 1.5),
        (numpy.int32(3), 3),
        (numpy.array([[1, 2]]), [[1, 2]]),
        (numpy.float32("nan"), None),
        (collections.deque([1]), [1]),
        (Named(1, 2), {"a": 1, "b": 2}),
        (Pair(1, {2}), {"left": 1, "right": [2]}),
        ({1: "a", None: "b"}, {"1": "a", "None": "b"}),
        (Holder(anything=float("nan")), {"anything": None, "secret": "**********"}),
    ],
)
def test_a_value_becomes_plain_json(value: Any, expected: Any) -> None:
    assert encode(value) == expected


def test_a_value_without_a_json_form_becomes_its_type() -> None:
    assert encode({"f": len}) == {"f": {"__type__": "builtin_function_or_method", "repr": "<built-in function len>"}}
    assert encode(object)["__type__"] == "type"


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class HostileModel(BaseModel):
    inner: Any

    def model_dump(self, **_: Any) -> dict[str, Any]:
        raise RuntimeError("no")


class HostileMapping(dict):
    def items(self) -> Any:
        raise RuntimeError("no")


def endless() -> list[Any]:
    nested: list[Any] = []
    for _ in range(50_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "value",
    [Hostile(), HostileModel(inner=Hostile()), HostileMapping(a=1), endless(), 10**6000, "\ud800", {"\ud800": 1}],
    ids=["repr", "model", "mapping", "deep", "huge", "surrogate", "surrogate key"],
)
def test_every_value_can_be_encoded(value: Any) -> None:
    json.loads(to_json({"value": value}))


def test_encoding_ends_at_a_cycle() -> None:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    assert encode(circle)["self"]["__type__"] == "dict"


def test_a_value_that_appears_twice_is_written_twice() -> None:
    shared = [1]
    assert encode([shared, shared]) == [[1], [1]]


def test_messages_keep_the_fields_for_readers() -> None:
    call = {"name": "clock", "args": {}, "id": "c1", "type": "tool_call"}
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    encoded = encode(
        [
            SystemMessage("be kind"),
            HumanMessage("hi"),
            AIMessage("", id="a", tool_calls=[call], usage_metadata=usage),
            ToolMessage("noon", tool_call_id="c1"),
        ]
    )
    assert [message["role"] for message in encoded] == ["system", "user", "assistant", "tool"]
    assert encoded[2] == {"role": "assistant", "content": "", "id": "a", "tool_calls": [call], "usage": usage}
    assert encoded[3]["tool_call_id"] == "c1"


def test_encoded_messages_go_back_into_a_graph() -> None:
    call = {"name": "clock", "args": {"zone": "utc"}, "id": "c1", "type": "tool_call"}
    messages = [
        HumanMessage("hi", id="h"),
        AIMessage("", id="a", tool_calls=[call]),
        ToolMessage("x", tool_call_id="c1"),
    ]
    again = convert_to_messages(encode(messages))
    assert [type(message) for message in again] == [type(message) for message in messages]
    assert again[1].tool_calls == [call]
    assert again[1].id == "a"
