"""Names the tone of a text. It needs no model and no key."""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


FRIENDLY = {"please", "thanks", "thank", "glad", "welcome"}


def reply(state: State) -> dict:
    """Looks for friendly words. A model would be called here."""
    words = state["question"].lower().replace(".", "").replace(",", "").split()
    return {"answer": "friendly" if FRIENDLY.intersection(words) else "neutral"}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
