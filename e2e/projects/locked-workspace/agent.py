from typing import TypedDict

from langgraph.graph import START, StateGraph
from shared_words import signed


class State(TypedDict, total=False):
    number: int
    answer: str


def answer(state: State) -> dict:
    return {"answer": signed(state["number"])}


graph = StateGraph(State).add_node(answer).add_edge(START, "answer").compile()
