"""Three steps, one after the other. Each notes in the store that it has begun, and the last one can ask a person."""

import operator
import uuid
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    asks: bool
    said: Annotated[list, operator.add]
    result: Any


def step(name: str) -> Any:
    def run(state: State, config: RunnableConfig, *, store: BaseStore) -> dict:
        thread_id = config["configurable"]["thread_id"]
        store.put(("begun", thread_id), uuid.uuid4().hex, {"step": name})
        answer = interrupt("go on?") if name == "c" and state.get("asks") else name
        found = store.search(("begun", thread_id), limit=100)
        return {"said": [answer], "result": sorted(item.value["step"] for item in found)}

    return run


builder = StateGraph(State)
for one in "abc":
    builder.add_node(one, step(one))
builder.add_edge(START, "a")
builder.add_edge("a", "b")
builder.add_edge("b", "c")
graph = builder.compile()
