"""Calls an agent with the official SDK for Python. Prints what came, as JSON."""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.server.tasks.task_manager import append_artifact_to_task
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
)
from google.protobuf.json_format import MessageToDict

url, token, binding = sys.argv[1:]


def say(text: str, task_id: str = "", *, at_once: bool = False) -> SendMessageRequest:
    message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], task_id=task_id)
    return SendMessageRequest(
        message=message, configuration=SendMessageConfiguration(return_immediately=at_once)
    )


async def main() -> dict:
    headers = {"Authorization": f"Bearer {token}", "A2A-Version": "1.0"}
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()

        def client(streaming: bool):
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            return ClientFactory(config).create(card)

        whole, streamed = client(False), client(True)

        async def send(request: SendMessageRequest, by=whole) -> list[dict]:
            return [MessageToDict(event) async for event in by.send_message(request)]

        first = (await send(say("hi")))[0]["task"]
        asks = (await send(say("which")))[0]["task"]
        chosen = (await send(say("tea", asks["id"])))[0]["task"]
        failed = (await send(say("fail")))[0]["task"]
        events = await send(say("hi"), streamed)
        pieces, assembled = [], None
        async for event in streamed.send_message(say("pieces")):
            if event.HasField("task"):
                assembled = event.task
            if event.HasField("artifact_update"):
                update = event.artifact_update
                append_artifact_to_task(assembled, update)
                if not update.last_chunk:
                    pieces.append(update.artifact.parts[0].text)
                # The agent waits for it in the middle of its answer.
                if len(pieces) == 1:
                    await send(say("go"))
            if event.HasField("status_update"):
                assembled.status.CopyFrom(event.status_update.status)
        waiting = (await send(say("wait", at_once=True)))[0]["task"]
        cancelled = await whole.cancel_task(CancelTaskRequest(id=waiting["id"]))
        read = await whole.get_task(GetTaskRequest(id=first["id"]))
        listed = await whole.list_tasks(ListTasksRequest())
        return {
            "card": card.name,
            "first": first,
            "asks": asks,
            "chosen": chosen,
            "failed": failed["status"],
            "events": [next(iter(event)) for event in events],
            "pieces": pieces,
            "assembled": MessageToDict(assembled),
            "cancelled": MessageToDict(cancelled)["status"]["state"],
            "read": MessageToDict(read),
            "listed": listed.total_size,
        }


print(json.dumps(asyncio.run(main())))
