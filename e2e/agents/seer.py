"""Says which files its last message carries."""

import base64

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def look(state: MessagesState) -> dict:
    parts = [part for part in state["messages"][-1].content if isinstance(part, dict) and "base64" in part]
    seen = [
        f"{part['extras']['filename']} ({part['mime_type']}, {len(base64.b64decode(part['base64']))} bytes)"
        for part in parts
    ]
    return {"messages": [AIMessage(f"I see {', '.join(seen) or 'no file'}.")]}


builder = StateGraph(MessagesState)
builder.add_node(look)
builder.add_edge(START, "look")
builder.add_edge("look", END)
graph = builder.compile()
