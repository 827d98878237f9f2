"""Asks as langchain's middleware does, or for an answer of a schema. It writes down what has reached the code."""

import operator
from typing import Annotated, Any

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

BATCHED = {
    "action_requests": [{"name": "refund", "args": {"amount": 80}}, {"name": "tell", "args": {}}],
    "review_configs": [
        {"action_name": "refund", "allowed_decisions": ["approve", "edit", "reject"]},
        {"action_name": "tell", "allowed_decisions": ["approve", "respond"]},
    ],
}


class Paid(BaseModel):
    amount: int


class State(TypedDict, total=False):
    mode: str
    heard: Annotated[list[Any], operator.add]


def ask(state: State) -> dict:
    if state["mode"] == "batched":
        return {"heard": [interrupt(BATCHED)]}
    return {"heard": [interrupt("How much?", response_schema=Paid).amount]}


builder = StateGraph(State)
builder.add_node(ask)
builder.add_edge(START, "ask")
graph = builder.compile()
