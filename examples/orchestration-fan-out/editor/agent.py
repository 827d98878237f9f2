"""Writes one report from the answers of several agents. It needs no model and no key."""

import json

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


def reply(state: State) -> dict:
    """The task and the answers come as one JSON document."""
    answers = json.loads(state["question"])["answers"]
    lines = [
        f"{name}: {one['output']['answer'] if one['status'] == 'done' else 'no answer'}"
        for name, one in answers.items()
    ]
    return {"answer": "; ".join(lines)}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
