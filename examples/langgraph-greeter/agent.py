"""A greeter in three steps that needs no model and no key.

    svc invoke greeter '{"message": "hi, I am Ada"}'

Each step is a function: it reads the state and returns an update of it.
"""

import re
from typing import Annotated

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict


class Input(TypedDict, total=False):
    """The input of a call: one line of text, or a whole conversation."""

    message: str
    messages: Annotated[list[AnyMessage], add_messages]


class State(Input, total=False):
    """The state between the steps. `add_messages` appends; other fields are replaced."""

    name: str


def listen(state: State) -> dict:
    """Turns the short form into a conversation."""
    return {"messages": [HumanMessage(state["message"])]} if "message" in state else {}


def understand(state: State) -> dict:
    """Finds the name of the caller. A model would be called here."""
    said = " ".join(str(message.content) for message in state["messages"])
    match = re.search(r"\b(?:i am|i'm|my name is|this is)\s+([\w'-]+)", said, re.IGNORECASE)
    return {"name": match.group(1).capitalize() if match else "stranger"}


def reply(state: State) -> dict:
    return {"messages": [AIMessage(f"Hello {state['name']}, nice to meet you!")]}


builder = StateGraph(State, input_schema=Input)
builder.add_node(listen)
builder.add_node(understand)
builder.add_node(reply)
builder.add_edge(START, "listen")
builder.add_edge("listen", "understand")
builder.add_edge("understand", "reply")
builder.add_edge("reply", END)

# The name is fixed: a langgraph project exports its compiled graph as `graph` or `app`.
graph = builder.compile()
