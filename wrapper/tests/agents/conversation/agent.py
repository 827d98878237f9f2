"""A message-style graph that remembers its threads and asks before it answers."""

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


def answer(state: MessagesState, config: RunnableConfig) -> dict:
    asked = state["messages"][-1].content
    if asked == "who am I":
        return {"messages": [AIMessage(str(config["configurable"]["svc_caller"]))]}
    if asked == "ask me":
        name = interrupt({"question": "what is your name?"})
        return {"messages": [AIMessage(f"hello {name}")]}
    return {"messages": [AIMessage(f"you said {len(state['messages'])} things")]}


builder = StateGraph(MessagesState)
builder.add_node(answer)
builder.add_edge(START, "answer")
graph = builder.compile(checkpointer=InMemorySaver())
