"""A graph that calls a model while it loads, and answers with what the model said."""

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

heard = ChatOpenAI(model="gpt-4o-mini", max_retries=0).invoke("Hello").content


class State(TypedDict, total=False):
    said: str
    result: str


builder = StateGraph(State)
builder.add_node("tell", lambda state: {"result": heard})
builder.add_edge(START, "tell")
builder.add_edge("tell", END)
graph = builder.compile()
