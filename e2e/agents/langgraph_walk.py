"""Walks through an agent with an SDK of langgraph for Python, also an older one. Prints what came, as JSON."""

import asyncio
import json
import sys

from langgraph_sdk import get_client

url, key, name = sys.argv[1:]


def say(text: str) -> dict:
    return {"messages": [{"role": "user", "content": text}]}


def texts(values: dict) -> list:
    return [f"{message['type']}: {message['content']}" for message in values["messages"]]


async def main() -> dict:
    client = get_client(url=url, api_key=key)
    assistant = await client.assistants.get(name)
    thread = (await client.threads.create(metadata={"walk": "python"}))["thread_id"]
    waited = await client.runs.wait(thread, name, input=say("hello"))
    parts = [
        part
        async for part in client.runs.stream(
            thread, name, input=say("again"), stream_mode=["values", "updates"], stream_resumable=True
        )
    ]
    run = await client.runs.create(thread, name, input=say("later"), stream_resumable=True, stream_mode="updates")
    joined = await client.runs.join(thread, run["run_id"])
    first = [part.event async for part in client.runs.join_stream(thread, run["run_id"])]
    rest = [part.event async for part in client.runs.join_stream(thread, run["run_id"], last_event_id="1")]
    await client.threads.update_state(thread, say("by hand"), as_node="reply")
    state = await client.threads.get_state(thread)
    await client.store.put_item(["walks"], key="one", value={"text": "far"})
    item = await client.store.get_item(["walks"], key="one")
    return {
        "assistant": assistant["graph_id"],
        "waited": texts(waited),
        "events": [part.event for part in parts],
        "joined": texts(joined)[-1],
        "first": first,
        "rest": rest,
        "state": [texts(state["values"])[-1], state["next"]],
        "item": item["value"]["text"],
        "found": [one["thread_id"] == thread for one in await client.threads.search(metadata={"walk": "python"})],
    }


print(json.dumps(asyncio.run(main())))
