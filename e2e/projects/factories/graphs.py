"""Five ways in which a module may offer its graph."""

from contextlib import asynccontextmanager
from typing import TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph


class State(TypedDict, total=False):
    word: str
    answer: str


def saying(prefix: str) -> StateGraph:
    graph = StateGraph(State)
    graph.add_node("say", lambda state: {"answer": f"{prefix} {state['word']}"})
    graph.add_edge(START, "say")
    return graph


def make_plain():
    return saying("plain").compile()


async def make_awaited():
    return saying("awaited").compile()


def make_for(config: RunnableConfig):
    return saying(config.get("configurable", {}).get("prefix", "nobody's")).compile()


@asynccontextmanager
async def opened(config: RunnableConfig):
    yield saying("opened").compile()


builder = saying("built")
