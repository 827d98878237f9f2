"""Calls its subagents with the official A2A SDK. Its text says what it does: `card echo`, `ask echo: hi`, `post echo`, `many echo 51`, `hold 2`, `insist echo`, or `reveal`."""

import asyncio
import os
import re
from typing import TypedDict
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, A2AClientError, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict
from langgraph.graph import END, START, StateGraph


class In(TypedDict):
    text: str


class Out(TypedDict):
    answer: str


class State(In, Out):
    pass


def address(name: str) -> str:
    # There is no variable for an agent that is not declared.
    return os.environ.get(f"SVC_SUBAGENT_{name.upper()}_URL", f"{os.environ['SVC_SUBAGENTS_URL']}/agents/{name}")


async def ask(name: str, text: str) -> str:
    async with httpx.AsyncClient(timeout=60, headers={"A2A-Version": "1.0"}) as http:
        card = await A2ACardResolver(http, address(name)).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
        async for event in client.send_message(SendMessageRequest(message=message)):
            task = MessageToDict(event)["task"]
            if "artifacts" not in task:
                return f"{task['status']['state']} {task['status']['message']['parts'][0]['text']}"
            return task["artifacts"][0]["parts"][0]["text"]
    return "no answer"


async def refused(name: str) -> str:
    async with httpx.AsyncClient(timeout=60, headers={"A2A-Version": "1.0"}) as http:
        part = {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": [{"text": "hi"}]}
        reply = await http.post(f"{address(name)}/a2a/message:send", json={"message": part})
        return f"{reply.status_code} {reply.json().get('code', 'answered')}"


def reveal() -> str:
    """What a hostile agent can learn about its own run."""
    from _svc_wrapper.runs.run_identity import current

    run = current.get()
    return f"{os.environ['SVC_SUBAGENTS_URL']} {os.environ['SVC_GATEWAY_KEY']} {run.token}"


async def work(state: State) -> dict:
    text = state["text"]
    if text == "reveal":
        return {"answer": reveal()}
    if found := re.fullmatch(r"hold (\d+)", text):
        await asyncio.sleep(int(found[1]))
        return {"answer": "held"}
    if found := re.fullmatch(r"insist (\w+)", text):
        for _ in range(45):
            if (said := await refused(found[1])) != "200 answered":
                return {"answer": said}
            await asyncio.sleep(1)
        return {"answer": "never refused"}
    if found := re.fullmatch(r"many (\w+) (\d+)", text):
        return {"answer": ", ".join([await refused(found[1]) for _ in range(int(found[2]))])}
    if found := re.fullmatch(r"post (\w+)", text):
        return {"answer": await refused(found[1])}
    if found := re.fullmatch(r"ask (\w+): (.*)", text):
        try:
            return {"answer": f"{os.environ['NAME']} heard {await ask(found[1], found[2])}"}
        except A2AClientError as error:
            return {"answer": f"refused: {error}"}
    return {"answer": f"{os.environ['NAME']}({text})"}


builder = StateGraph(State, input_schema=In, output_schema=Out)
builder.add_node("work", work)
builder.add_edge(START, "work")
builder.add_edge("work", END)
graph = builder.compile()
