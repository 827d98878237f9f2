"""A single-field graph that does what `do` says, for the tests."""

import asyncio
import dataclasses
import datetime
import enum
import os
import sys
import time
import uuid

from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

print("imported with", sorted(name for name in os.environ if "SECRET" in name))


class Colour(enum.Enum):
    RED = "red"


class Point(BaseModel):
    x: int


@dataclasses.dataclass
class Pair:
    left: object
    right: object


class State(TypedDict, total=False):
    do: str
    count: int
    result: object


class Spent(Exception):
    """As a vendor's client raises what the gateway refuses."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.body = {"code": "budget_exceeded", "message": message, "resets_at": "2026-11-24T00:00:00.000Z"}


class SpentAtGemini(Exception):
    """As Google's client raises it."""

    def __init__(self) -> None:
        super().__init__("429 RESOURCE_EXHAUSTED. $4.66 of $4.66 is spent")
        self.code = 429
        facts = {"code": "budget_exceeded", "resets_at": "2026-11-24T00:00:00.000Z"}
        self.details = {"error": {"code": 429, "details": [{"reason": "BUDGET_EXCEEDED", "metadata": facts}]}}


class Reluctant:
    def __repr__(self) -> str:
        raise ValueError("no")


async def plan(state: State) -> dict:
    """An asynchronous node."""
    if state["do"] == "sleep on the loop":
        await asyncio.sleep(600)
    if state["do"] == "block the loop":
        time.sleep(3)  # noqa: ASYNC251 - what users do
    if state["do"] == "tell":
        for part in range(3):
            get_stream_writer()({"part": part})
    if state["do"] == "tell a lot":
        for part in range(100_000):
            get_stream_writer()({"part": part, "filling": "x" * 1000})
            await asyncio.sleep(0)
    if state["do"] == "cancel itself":
        raise asyncio.CancelledError
    if state["do"] == "exit on the loop":
        sys.exit(3)
    return {}


def work(state: State) -> dict:
    """A synchronous node."""
    match state["do"]:
        case "echo":
            return {"result": state.get("count")}
        case "environment":
            return {"result": dict(os.environ)}
        case "fail":
            raise LookupError('no such thing\n{"forged": true}')
        case "fail in half a character":
            raise LookupError("\ud800")
        case "fail with a secret":
            raise RuntimeError(f"failed with {os.environ['WEATHER_API_SECRET']}")
        case "spend":
            raise LookupError("the model said $4.66 of $4.66") from Spent("$4.66 of $4.66 is spent")
        case "spend at Gemini":
            raise SpentAtGemini
        case "exit":
            sys.exit(3)
        case "sleep":
            time.sleep(state["count"])
        case "nap":
            time.sleep(0.5)
        case "odd":
            return {"result": odd_values()}
    return {"result": "done"}


def odd_values() -> dict:
    circle: list = []
    circle.append(circle)
    return {
        "point": Point(x=1),
        "pair": Pair({3, 1, 2}, b"bytes"),
        "colour": Colour.RED,
        "when": datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
        "id": uuid.UUID(int=0),
        "message": AIMessage("hi", id="m1"),
        "numbers": [float("nan"), float("inf"), 10**5000 > 0, 10**5000],
        "surrogate": "\ud800",
        "circle": circle,
        "function": odd_values,
        "reluctant": Reluctant(),
        ("a", 1): "tuple key",
    }


builder = StateGraph(State)
builder.add_node(plan)
builder.add_node(work)
builder.add_edge(START, "plan")
builder.add_edge("plan", "work")
app = builder.compile()
