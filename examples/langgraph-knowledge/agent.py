"""A librarian, which answers from documents that the person who asks may read, and cites each. It needs no model.

    svc registry knowledge-base create house-rules --config '{documents: [{title: Kitchen, text: Tea is free.}]}'
    svc kb refresh house-rules
    svc deploy
    svc invoke librarian '{"question": "Is tea free?"}'

The service makes each search for the caller of this agent. The code cannot ask for more than that person may read.
"""

import os

from langchain_mcp_adapters.client import MultiServerMCPClient
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

url = os.environ["SVC_MCP_KNOWLEDGE_URL"]
client = MultiServerMCPClient({"knowledge": {"transport": "streamable_http", "url": url}})


class Input(TypedDict):
    question: str


class State(Input, total=False):
    answer: str
    sources: list[str]


class Output(TypedDict):
    answer: str
    sources: list[str]


async def look_up(state: State) -> dict[str, object]:
    [tool] = [tool for tool in await client.get_tools() if tool.name == "search_house-rules"]
    args = {"query": state["question"], "limit": 1}
    message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": tool.name, "args": args})
    texts = [part["text"] for part in message.content] if isinstance(message.content, list) else [message.content]
    if message.status == "error":
        return {"answer": texts[0], "sources": []}
    found = message.artifact["structured_content"]["passages"]
    if not found:
        return {"answer": "I find nothing about this that you may read.", "sources": []}
    # The first text says that the others are material; each of them has its citation above an empty line.
    _, passage = texts[1].split("\n\n", 1)
    return {"answer": passage, "sources": [one["link"] for one in found]}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node("look_up", look_up)
builder.add_edge(START, "look_up")
builder.add_edge("look_up", END)
graph = builder.compile()
