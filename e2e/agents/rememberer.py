"""A graph as langgraph's platform wants it: no checkpointer and no store. It counts, waits for a person, and keeps facts."""

import operator
import time
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import interrupt
from typing_extensions import TypedDict

VERSION = "first"


class State(TypedDict, total=False):
    do: str
    value: Any
    said: Annotated[list, operator.add]
    result: Any


def act(state: State, config: RunnableConfig, *, store: BaseStore) -> dict:
    do, value = state.get("do"), state.get("value")
    said = state.get("said", [])
    if do == "say":
        return {"said": [value], "result": [*said, value]}
    if do == "slowly":
        time.sleep(value)
        return {"said": ["slowly"], "result": len(said)}
    if do == "keep":
        store.put(("facts",), value["key"], {"text": value["text"]})
        return {"result": "kept"}
    if do == "facts":
        return {"result": [item.value["text"] for item in store.search(("facts",))]}
    if do == "version":
        return {"result": VERSION}
    return {}


def ask(state: State) -> dict:
    if state.get("do") != "ask":
        return {}
    answer = interrupt({"question": state["value"]})
    return {"said": [answer], "result": f"{VERSION} heard {answer}"}


builder = StateGraph(State)
builder.add_node("act", act)
builder.add_node("ask", ask)
builder.add_edge(START, "act")
builder.add_edge("act", "ask")
builder.add_edge("ask", END)
graph = builder.compile()
