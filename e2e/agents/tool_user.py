# Lists its tools when it is imported, as most agents with tools do, and calls the one that its input names.
import asyncio
import os
from typing import Any, TypedDict

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.graph import END, START, StateGraph

client = MultiServerMCPClient({"tools": {"transport": "streamable_http", "url": os.environ["SVC_MCP_URL"]}})
tools = {tool.name: tool for tool in asyncio.run(client.get_tools())}


class State(TypedDict, total=False):
    tool: str
    arguments: dict[str, Any]
    answer: str


async def call(state: State) -> State:
    if state["tool"] == "list":
        return {"answer": " ".join(sorted(tools))}
    try:
        result = await tools[state["tool"]].ainvoke(state["arguments"])
    except Exception as error:
        return {"answer": f"refused: {error}"}
    return {"answer": result if isinstance(result, str) else result[0]["text"]}


builder = StateGraph(State)
builder.add_node("call", call)
builder.add_edge(START, "call")
builder.add_edge("call", END)
graph = builder.compile()
