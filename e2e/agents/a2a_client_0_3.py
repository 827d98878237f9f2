"""Reads a stream in version 0.3 by its official SDK, which assembles the task. Prints what came, as JSON."""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, TaskArtifactUpdateEvent, TextPart

url, token = sys.argv[1:]


def say(text: str) -> Message:
    return Message(message_id=str(uuid4()), role=Role.user, parts=[Part(root=TextPart(text=text))])


def texts(artifact) -> list[str]:
    return [part.root.text for part in artifact.parts if part.root.kind == "text"]


async def main() -> dict:
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=True)).create(card)
        grown = []
        async for task, update in client.send_message(say("pieces")):
            if isinstance(update, TaskArtifactUpdateEvent):
                grown.append(texts(task.artifacts[0]))
            # The agent waits for it in the middle of its answer.
            if len(grown) == 1:
                async for _ in client.send_message(say("go")):
                    pass
        return {"grown": grown, "state": task.status.state.value}


print(json.dumps(asyncio.run(main())))
