"""Three steps that write down that they ran. `do` says what the second one does beside it."""

import asyncio
import operator
import os
import threading
import time
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_store
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Point(BaseModel):
    x: int


class State(TypedDict, total=False):
    do: str
    text: str
    steps: Annotated[list[str], operator.add]
    point: Point
    thing: Any
    found: Any


class Inner(TypedDict, total=False):
    text: str


def shout(state: Inner) -> dict:
    if state["text"] == "who":
        return {"text": f"hello {interrupt('inner name')}"}
    return {"text": state["text"].upper()}


inner_builder = StateGraph(Inner)
inner_builder.add_node(shout)
inner_builder.add_edge(START, "shout")
inner = inner_builder.compile()


async def first(state: State) -> dict:
    return {"steps": ["first"], "point": Point(x=1)}


def second(state: State, config: RunnableConfig) -> dict:
    done = {"steps": ["second"]}
    match state["do"]:
        case "ask":
            return {**done, "found": interrupt({"question": "what is your name?"})}
        case "hang" if "HANG_NO_MORE" not in os.environ:
            time.sleep(600)
        case "nap":
            time.sleep(1)
        case "fail":
            raise LookupError("no such thing")
        case "be odd":
            return {**done, "thing": threading.Lock()}
        case "shout":
            return {**done, "found": inner.invoke({"text": state["text"]}, config)["text"]}
        case "say the type":
            return {**done, "found": type(state["point"]).__name__}
        case "look at":
            there = graph.get_state({"configurable": {"thread_id": state["text"]}})
            return {**done, "found": there.values.get("steps")}
        case "remember":
            get_store().put(("notes", "ada"), "1", {"text": state["text"]})
        case "recall":
            return {**done, "found": store_of(state["text"])}
    return done


def store_of(text: str) -> list:
    store = get_store()
    item = store.get(("notes", "ada"), "1")
    found = store.search(("notes",), filter={"text": text}, query="tea")
    spaces = store.list_namespaces(prefix=("notes",), max_depth=1)
    store.delete(("notes", "ada"), "1")
    return [item and item.value, [[one.key, one.score] for one in found], spaces, store.get(("notes", "ada"), "1")]


async def third(state: State) -> dict:
    if state["do"] == "wait":
        await asyncio.sleep(600)
    return {"steps": ["third"]}


builder = StateGraph(State)
builder.add_node(first)
builder.add_node(second)
builder.add_node(third)
builder.add_edge(START, "first")
builder.add_edge("first", "second")
builder.add_edge("second", "third")
graph = builder.compile(checkpointer=InMemorySaver())
