"""A graph that calls a model in each way of langgraph. It also hands out its run's token, and sends one that it gets."""

import json
import os
import urllib.error
import urllib.request

from langchain_openai import ChatOpenAI
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    do: str
    model: str
    token: str
    result: object


async def async_branch(state: State) -> dict:
    if state["do"] == "ask":
        await ChatOpenAI(model=state["model"]).ainvoke("Hello")
    return {}


def sync_branch(state: State) -> dict:
    if state["do"] == "ask":
        ChatOpenAI(model=state["model"]).batch(["Hello"] * 2)
        for _ in ChatOpenAI(model=state["model"]).stream("Hello"):
            pass
    return {}


def last(state: State) -> dict:
    if state["do"] == "ask":
        ChatOpenAI(model=state["model"]).invoke("Hello")
    if state["do"] == "tell":
        # No interface for users: code of an attacker finds it.
        from _svc_wrapper.outgoing.run_headers import current

        return {"result": current.get().token}
    if state["do"] == "send":
        return {"result": send(state["model"], state["token"])}
    return {}


def send(model: str, token: str) -> dict:
    """With a client that the wrapper does not change."""
    body = {"model": model, "messages": [{"role": "user", "content": "Hello"}]}
    headers = {
        "content-type": "application/json",
        "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}",
        "x-svc-run-id": "11111111-1111-4111-8111-111111111111",
        **({"x-svc-run": token} if token else {}),
    }
    url = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answered:
            return {"status": answered.status}
    except urllib.error.HTTPError as refused:
        return {"status": refused.code, "code": json.load(refused)["error"]["code"]}


builder = StateGraph(State)
builder.add_node(async_branch)
builder.add_node(sync_branch)
builder.add_node(last)
builder.add_edge(START, "async_branch")
builder.add_edge(START, "sync_branch")
builder.add_edge(["async_branch", "sync_branch"], "last")
graph = builder.compile()
