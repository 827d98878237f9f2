"""Counts the words of a text. It needs no model and no key."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


def reply(state: State) -> dict:
    """Splits at spaces."""
    return {"answer": f"{len(state['question'].split())} words"}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
