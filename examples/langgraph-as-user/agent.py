"""A secretary, which reads the tasks of whoever asks, with that person's own credential. It needs no model and no key.

    svc registry mcp-server create tasks --file tasks.yaml
    svc mcp pin tasks
    svc deploy
    svc connect tasks
    svc invoke secretary '{}'

The server is yours: one whose tool `list_tasks` answers for the person whose token it gets. This is tasks.yaml:

    transport: streamable-http
    url: https://tasks.example.com/mcp
    as: user

The agent never sees the token. Somebody who is not connected gets a link instead.
"""

import os

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

client = MultiServerMCPClient({"tasks": {"transport": "streamable_http", "url": os.environ["SVC_MCP_TASKS_URL"]}})


class Input(TypedDict, total=False):
    pass


class State(Input, total=False):
    answer: str


class Output(TypedDict):
    answer: str


async def read(_: State) -> dict[str, str]:
    [tool] = [tool for tool in await client.get_tools() if tool.name == "list_tasks"]
    message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {}})
    text = message.content if isinstance(message.content, str) else message.content[0]["text"]
    # The text of a refusal says why, and has the link to connect.
    return {"answer": text if message.status == "error" else f"Your tasks: {text}"}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node("read", read)
builder.add_edge(START, "read")
builder.add_edge("read", END)
graph = builder.compile()
