"""Waits on an upstream. A text is `<call> <milliseconds>`. Before anything else it says there which run has begun in which container, and the
upstream answers after the milliseconds. The answer is the text with a `+` at the call.
"""

import asyncio
import base64
import json
import os
import socket
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

HOST, PORT = os.environ["JOURNAL"].split(":")


class In(TypedDict):
    text: str


class State(In, total=False):
    answer: str


def run_id() -> str:
    # The test compares runs. Agents have no interface for it.
    from _svc_wrapper.runs.run_identity import current

    claims = current.get().token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=="))["run_id"]


async def work(state: State) -> dict:
    call, wait_ms = state["text"].split(" ")
    reader, writer = await asyncio.open_connection(HOST, int(PORT))
    begun = {"call": call, "run_id": run_id(), "container": socket.gethostname(), "wait_ms": int(wait_ms)}
    writer.write(json.dumps(begun).encode() + b"\n")
    await reader.readline()
    writer.close()
    return {"answer": f"{call}+ {wait_ms}"}


graph = StateGraph(State, input_schema=In).add_node(work).add_edge(START, "work").add_edge("work", END).compile()
