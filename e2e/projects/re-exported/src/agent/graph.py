from typing import TypedDict

from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import START, StateGraph


class State(TypedDict, total=False):
    word: str
    words: list[str]


def remember(state: State) -> dict:
    return {"words": [*state.get("words", []), state["word"]]}


graph = StateGraph(State).add_node(remember).add_edge(START, "remember").compile(checkpointer=MemorySaver())
