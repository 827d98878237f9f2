"""A chat in pieces, as langgraph's platform wants a graph: no checkpointer. It can wait for a person, stop and remember."""

import asyncio

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.config import get_store
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


async def think(state: MessagesState) -> dict:
    if state["messages"][-1].content == "slowly":
        await asyncio.sleep(60)
    return {}


async def reply(state: MessagesState) -> dict:
    said = state["messages"][-1].content
    if said == "ask me":
        return {"messages": [AIMessage(f"you said {interrupt({'question': 'sure?'})}")]}
    if said == "fail":
        raise LookupError("no such thing")
    if said == "remember":
        item = get_store().get(("notes",), "tea")
        return {"messages": [AIMessage(item.value["text"] if item else "nothing")]}
    model = GenericFakeChatModel(messages=iter([AIMessage(f"you said {said}")]))
    return {"messages": [await model.ainvoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node(think)
builder.add_node(reply)
builder.add_edge(START, "think")
builder.add_edge("think", "reply")
graph = builder.compile()
