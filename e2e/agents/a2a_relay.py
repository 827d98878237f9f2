"""A graph of one node, which asks an agent outside by the official SDK for Python."""

import os

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_message_text, new_text_message
from a2a.types import Role, SendMessageRequest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


async def ask(state: State) -> dict:
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, os.environ["REMOTE_URL"]).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        request = SendMessageRequest(message=new_text_message(state["question"], role=Role.ROLE_USER))
        said = [get_message_text(event.message) async for event in client.send_message(request)]
    return {"answer": said[-1]}


builder = StateGraph(State, output_schema=Output)
builder.add_node(ask)
builder.add_edge(START, "ask")
builder.add_edge("ask", END)

graph = builder.compile()
