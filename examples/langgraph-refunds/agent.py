"""A desk for refunds that asks a person before it pays. It needs no model and no key.

    svc invoke refunds '{"order": "12", "amount": 80}' --thread new

It has no checkpointer and no store. The service keeps both: the run can wait for days, and the desk remembers what each
caller got before.
"""

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from langgraph.types import interrupt
from typing_extensions import TypedDict

FREE_AMOUNT = 50


class Input(TypedDict):
    order: str
    amount: int


class State(Input, total=False):
    decision: str
    answer: str


class Output(TypedDict):
    answer: str


def decide(state: State) -> dict:
    """Small refunds are paid at once. For others the run waits for a person."""
    if state["amount"] <= FREE_AMOUNT:
        return {"decision": "yes"}
    return {"decision": interrupt({"question": f"Refund {state['amount']} for order {state['order']}?"})}


def pay(state: State, *, store: BaseStore) -> dict:
    order, amount = state["order"], state["amount"]
    if state["decision"] != "yes":
        return {"answer": f"Order {order}: no refund."}
    store.put(("refunds",), order, {"amount": amount})
    total = sum(item.value["amount"] for item in store.search(("refunds",), limit=1000))
    return {"answer": f"Order {order}: refunded {amount}. You got {total} in all."}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(decide)
builder.add_node(pay)
builder.add_edge(START, "decide")
builder.add_edge("decide", "pay")
builder.add_edge("pay", END)

graph = builder.compile()
