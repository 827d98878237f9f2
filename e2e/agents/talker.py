"""A conversation. A model answers, unless the message asks for the number of messages or for a person."""

import os

from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

model = ChatOpenAI(model=os.environ["SVC_MODEL"])


def answer(state: MessagesState) -> dict:
    messages = state["messages"]
    if messages[-1].content == "count":
        return {"messages": [AIMessage(f"{len(messages)} messages")]}
    if messages[-1].content == "ask":
        return {"messages": [AIMessage(f"You said {interrupt('Which city?')}.")]}
    return {"messages": [model.invoke(messages)]}


builder = StateGraph(MessagesState)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
builder.add_edge("answer", END)
graph = builder.compile()
