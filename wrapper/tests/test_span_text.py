"""The content of spans: every value of the user's code, no secret, and a bound."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from pydantic import BaseModel, Field, SecretStr

from _svc_wrapper.agent_error import hide, masked_start
from _svc_wrapper.tracing.span_text import MAX_TEXT, snapshot, text_of

SECRET = 'pässword "1"'


@pytest.fixture
def hidden() -> Iterator[None]:
    hide([SECRET, "1234567890"])
    yield
    hide([])


class Settings(BaseModel):
    url: str = "u"
    password: SecretStr = SecretStr("very secret")
    token: str = Field("excluded secret", exclude=True)


@dataclasses.dataclass
class Client:
    name: str
    key: str = dataclasses.field(repr=False)


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError

    __str__ = __repr__


def test_content_is_json_that_shows_fields_and_runs_no_code_of_foreign_values() -> None:
    values = {"a": Settings(), "b": Client("c", "key secret"), "c": Hostile(), "d": {1.5, True}, "e": float("nan")}
    shown = json.loads(text_of({**values, "m": [HumanMessage("hi"), AIMessage("yes")]}))
    assert shown["a"] == {"url": "u", "password": "<SecretStr>"}
    assert shown["b"] == {"name": "c"}
    assert shown["c"] == "<Hostile>"
    assert shown["e"] == "nan"
    assert shown["m"] == [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("value", [SECRET, {"a": [SECRET]}, {SECRET: 1}, [HumanMessage(SECRET)], 1234567890])
def test_no_secret_is_in_content(value: Any) -> None:
    text = text_of(value)
    assert "***" in text
    assert "ssword" not in text
    assert "1234" not in text


@pytest.mark.usefixtures("hidden")
@pytest.mark.parametrize("before", range(MAX_TEXT - 12, MAX_TEXT + 1))
def test_a_secret_is_not_cut_into_a_readable_part(before: int) -> None:
    text = "x" * before + "1234567890" * 3
    for shown in (masked_start(text, MAX_TEXT), text_of([text])):
        assert "1" not in shown
        assert len(shown) <= MAX_TEXT


def test_a_large_or_endless_value_ends_at_the_bound() -> None:
    endless: list[Any] = ["x"]
    endless.append(endless)
    large = {"a": ["y" * 1000] * 1000, "b": endless}
    for value in (large, endless, [[["z"] * 10_000] * 10_000]):
        assert len(text_of(value)) <= MAX_TEXT


def test_a_later_change_of_a_state_does_not_show() -> None:
    state = {"messages": ["first"], "count": 1, "facts": {"a": 1}}
    kept = snapshot(state)
    state["messages"].append("later")
    state["facts"]["b"] = 2
    state["count"] = 2
    assert json.loads(text_of(kept)) == {"messages": ["first"], "count": 1, "facts": {"a": 1}}
