"""A graph with three parallel branches, one of them a graph, with tools, and with a client of OpenAI of its own."""

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from openai import AsyncOpenAI, OpenAI

model = ChatOpenAI(model="m")


@tool
def look_up(name: str) -> str:
    """Asks a model of its own."""
    return str(model.invoke(f"look up {name}").content)


def sync_branch(state: MessagesState) -> dict:
    model.invoke("sync")
    model.batch(["batch"] * 2)
    for _ in model.stream("stream"):
        pass
    OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "own"}])
    return {}


async def async_branch(state: MessagesState) -> dict:
    await model.ainvoke("async")
    async for _ in model.astream("astream"):
        pass
    await AsyncOpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "own async"}])
    return {}


def ask(state: MessagesState) -> dict:
    model.invoke("nested")
    return {}


@tool
def fail() -> str:
    """Raises."""
    raise ValueError("no such thing")


def ask_for_tool(state: MessagesState) -> dict:
    calls = [{"name": "look_up", "args": {"name": "x"}, "id": "1"}, {"name": "fail", "args": {}, "id": "2"}]
    return {"messages": [AIMessage("", tool_calls=calls)]}


inner = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask").compile()
builder = StateGraph(MessagesState)
builder.add_node(sync_branch)
builder.add_node(async_branch)
builder.add_node("nested", inner)
builder.add_node(ask_for_tool)
builder.add_node("tools", ToolNode([look_up, fail], handle_tool_errors=True))
builder.add_edge(START, "sync_branch")
builder.add_edge(START, "async_branch")
builder.add_edge(START, "nested")
builder.add_edge(["sync_branch", "async_branch", "nested"], "ask_for_tool")
builder.add_edge("ask_for_tool", "tools")
graph = builder.compile()
