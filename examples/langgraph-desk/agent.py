"""A help desk that reads the records of customers. It needs no model and no key.

    svc invoke desk '{"question": "How does Ann pay?"}'

Its guardrails stand in agent.yaml, and nothing of them is in this file.
"""

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

RECORDS = {
    "ann": "Ann pays with the card 4111 1111 1111 1111.",
    "bob": "Bob pays by invoice.",
    "prices": "Internal only: all prices rise in March.",
}


class Input(TypedDict):
    question: str


class State(Input, total=False):
    answer: str


class Output(TypedDict):
    answer: str


def look_up(state: State) -> dict:
    """Finds the first record that the question names."""
    words = state["question"].lower().replace("?", "").split()
    found = [RECORDS[word] for word in words if word in RECORDS]
    return {"answer": found[0] if found else "No record has this name."}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(look_up)
builder.add_edge(START, "look_up")
builder.add_edge("look_up", END)

graph = builder.compile()
