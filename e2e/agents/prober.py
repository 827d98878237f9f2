"""A graph that follows `do`, for the tests of the way to an agent."""

import asyncio
import operator
import os
import signal
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

REVISION = "first"


class State(TypedDict, total=False):
    do: str
    value: Any
    result: Any
    remembered: Annotated[list, operator.add]


class Gate:
    """Opened by another call, or by the cancel of a waiting one."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def open(self) -> None:
        self.event.set()
        self.event = asyncio.Event()

    async def wait(self) -> None:
        try:
            await self.event.wait()
        except asyncio.CancelledError:
            self.open()
            raise


gate = Gate()
calls = {"begun": 0, "cancelled": 0}


async def act(state: State, config: RunnableConfig) -> dict:
    calls["begun"] += 1
    try:
        return await done(state["do"], state.get("value"), config)
    except asyncio.CancelledError:
        calls["cancelled"] += 1
        raise


async def done(do: str, value: Any, config: RunnableConfig) -> dict:
    if do == "wait":
        get_stream_writer()("waiting")
        await gate.wait()
    elif do == "open":
        gate.open()
    elif do == "sleep":
        await asyncio.sleep(value)
    elif do == "remember":
        return {"remembered": [value]}
    elif do == "fail":
        raise LookupError("no such thing")
    elif do == "die":
        os._exit(7)
    elif do == "hang":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif do == "run python":
        scope: dict = {}
        exec(value, scope)
        return {"result": await asyncio.to_thread(scope["look"])}
    results = {"who": config["configurable"]["svc_caller"], "calls": calls, "revision": REVISION}
    return {"result": results.get(do, value)}


builder = StateGraph(State)
builder.add_node(act)
builder.add_edge(START, "act")
builder.add_edge("act", END)
graph = builder.compile(checkpointer=InMemorySaver())
