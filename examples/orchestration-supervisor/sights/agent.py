"""Knows the sights of a city. It needs no model and no key."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


SIGHTS = {"paris": "See the Louvre.", "oslo": "See the fjord."}


def reply(state: State) -> dict:
    """Finds the city that the question names."""
    words = state["question"].lower().replace("?", "").split()
    return {"answer": next((SIGHTS[word] for word in words if word in SIGHTS), "No sights are known.")}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
