"""A graph that asks about two actions, as langchain's human-in-the-loop middleware asks about the tools of its agent."""

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    order: str
    decisions: list[dict]


def act(state: State) -> dict:
    order = state["order"]
    requests = [
        {
            "name": "refund",
            "args": {"order": order, "amount": 80, "reason": "It came [late](https://example.com)."},
            "description": f"The customer of order {order} has written twice.",
        },
        {
            "name": "send_mail",
            "args": {"to": "cal@example.com", "lines": ["Your money is on its way."]},
            "description": "Tool execution requires approval\n\nTool: send_mail\nArgs: {'to': 'cal@example.com'}",
        },
    ]
    configs = [
        {"action_name": "refund", "allowed_decisions": ["approve", "edit", "reject"]},
        {"action_name": "send_mail", "allowed_decisions": ["approve", "edit", "reject", "respond"]},
    ]
    return interrupt({"action_requests": requests, "review_configs": configs})


builder = StateGraph(State)
builder.add_node(act)
builder.add_edge(START, "act")
graph = builder.compile()
