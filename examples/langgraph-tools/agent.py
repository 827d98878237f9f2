"""A keeper of the time, which asks the tools of an MCP server. It needs no model and no key.

    svc invoke keeper '{"timezone": "Europe/Zurich"}'
    svc invoke keeper '{"timezone": "Europe/Zurich", "time": "12:00"}'

It finds its tools at SVC_MCP_URL. They are those of the servers in its agent.yaml, as a person has pinned them.
"""

import json
import os
from typing import Any

from langchain_core.tools import BaseTool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

client = MultiServerMCPClient({"tools": {"transport": "streamable_http", "url": os.environ["SVC_MCP_URL"]}})


class Input(TypedDict):
    timezone: str


class State(Input, total=False):
    time: str
    answer: str


class Output(TypedDict):
    answer: str


async def ask(state: State) -> dict[str, str]:
    tools = {tool.name: tool for tool in await client.get_tools()}
    timezone, time = state["timezone"], state.get("time")
    try:
        if time is None:
            now = await call(tools["clock__get_current_time"], timezone=timezone)
            return {"answer": f"It is {now['day_of_week']} in {timezone}."}
        there = await call(tools["clock__convert_time"], source_timezone="Etc/UTC", time=time, target_timezone=timezone)
        return {"answer": f"{time} in UTC is {there['target']['datetime'][11:16]} in {timezone}."}
    except Refused as refusal:
        return {"answer": f"I cannot say it yet. {refusal}"}


class Refused(Exception):
    """The call was not made, or the tool has failed. Its text says why, and what would help."""


async def call(tool: BaseTool, **asked: str) -> dict[str, Any]:
    """The answer of a tool of this server is JSON."""
    message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": asked})
    text = message.content if isinstance(message.content, str) else message.content[0]["text"]
    if message.status == "error":
        raise Refused(text)
    return json.loads(text)


builder = StateGraph(State, input_schema=State, output_schema=Output)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
builder.add_edge("ask", END)
graph = builder.compile()
