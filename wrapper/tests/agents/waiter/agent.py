"""An async graph whose calls wait on the loop until somebody opens the gate, for the tests of admission."""

import asyncio

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

gate = asyncio.Event()
waiting = 0
most = 0


class State(TypedDict, total=False):
    do: str
    most: int


async def wait(state: State) -> dict:
    global waiting, most
    if state["do"] == "open":
        gate.set()
    if state["do"] == "wait":
        waiting += 1
        most = max(most, waiting)
        await gate.wait()
        waiting -= 1
    return {"most": most}


builder = StateGraph(State)
builder.add_node(wait)
builder.add_edge(START, "wait")
graph = builder.compile()
