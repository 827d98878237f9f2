"""Knows the weather of a city. It needs no model and no key."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


WEATHER = {"paris": "In Paris it is sunny.", "oslo": "In Oslo it snows."}


def reply(state: State) -> dict:
    """Finds the city that the question names."""
    words = state["question"].lower().replace("?", "").split()
    return {"answer": next((WEATHER[word] for word in words if word in WEATHER), "The weather is unknown.")}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
