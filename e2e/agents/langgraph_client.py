"""Uses an agent with the official SDK of langgraph for Python. Prints what came, as JSON."""

import asyncio
import json
import sys

import httpx
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from langgraph_sdk.errors import APIStatusError

url, key, name = sys.argv[1:]


def say(text: str) -> dict:
    return {"messages": [{"role": "user", "content": text}]}


def texts(values: dict) -> list:
    return [f"{message['type']}: {message['content']}" for message in values["messages"]]


async def remote() -> list:
    """The agent as a node of another graph."""
    graph = RemoteGraph(name, url=url, api_key=key)
    builder = StateGraph(MessagesState).add_node("remote", graph).add_edge(START, "remote")
    answer = await builder.compile().ainvoke(say("from afar"))
    return [message.content for message in answer["messages"] if isinstance(message, AIMessage)]


async def main() -> dict:
    client = get_client(url=url, api_key=key)
    [assistant] = await client.assistants.search()
    schemas = await client.assistants.get_schemas(name)
    thread = await client.threads.create(metadata={"topic": "tea"})
    at = thread["thread_id"]

    values = await client.runs.wait(at, assistant["assistant_id"], input=say("hello"))
    parts = []
    async for part in client.runs.stream(
        at, name, input=say("again"), stream_mode=["values", "messages-tuple", "updates"]
    ):
        parts.append(part)
    pieces = [part.data[0]["content"] for part in parts if part.event == "messages"]
    nodes = [list(part.data) for part in parts if part.event == "updates"]

    asked = await client.runs.wait(at, name, input=say("ask me"))
    waiting = await client.threads.get(at)
    state = await client.threads.get_state(at)
    resumed = await client.runs.wait(at, name, command={"resume": "yes"})

    stopped = await client.runs.wait(at, name, input=say("stop"), interrupt_before=["reply"])
    stopped_next = (await client.threads.get_state(at))["next"]
    went_on = await client.runs.wait(at, name, input=None)

    history = await client.threads.get_history(at, limit=100)
    # The state before the second message: from there the conversation goes another way.
    earlier = next(one for one in history if len(one["values"].get("messages", [])) == 2 and not one["next"])
    forked = await client.runs.wait(at, name, input=say("another way"), checkpoint=earlier["checkpoint"])
    copy = await client.threads.copy(at)
    copied = await client.threads.get_state(copy["thread_id"])

    background = await client.runs.create(at, name, input=say("later"))
    joined = await client.runs.join(at, background["run_id"])
    slow = await client.runs.create(at, name, input=say("slowly"))
    try:
        await client.runs.wait(at, name, input=say("now"), multitask_strategy="reject")
        rejected = None
    except httpx.HTTPStatusError as error:
        rejected = [error.response.status_code, error.response.json()["code"]]
    await client.runs.cancel(at, slow["run_id"], wait=True)
    runs = {run["run_id"]: run["status"] for run in await client.runs.list(at, limit=100)}

    try:
        await client.runs.wait(None, name, input=say("fail"))
        failed = None
    except Exception as error:
        failed = str(error)
    await client.store.put_item(["notes"], key="tea", value={"text": "Earl Grey"})
    remembered = await client.runs.wait(None, name, input=say("remember"))
    found = await client.store.search_items(["notes"])
    alone = [part.event async for part in client.runs.stream(None, name, input=say("alone"))]
    mine = [one["thread_id"] for one in await client.threads.search(metadata={"topic": "tea"}, limit=100)]
    await client.threads.delete(copy["thread_id"])
    try:
        await client.threads.get(copy["thread_id"])
        gone = None
    except APIStatusError as error:
        gone = error.status_code
    hand = (await client.threads.create())["thread_id"]
    await client.runs.wait(hand, name, input=say("before"), interrupt_before=["reply"])
    update = {"messages": [{"type": "ai", "content": "by hand"}]}
    made = await client.threads.update_state(hand, update, as_node="reply")
    changed = await client.threads.get_state(hand)
    same = await client.threads.get_state(hand, checkpoint=made["checkpoint"])
    by_values = await client.threads.search(values={"messages": [{"type": "ai", "content": "by hand"}]})
    pruned = await client.threads.prune([hand], strategy="keep_latest")
    kept = len(await client.threads.get_history(hand))
    graph = await client.assistants.get_graph(name, xray=True)
    batch = await client.runs.create_batch([{"assistant_id": name, "input": say("in a batch")}])
    strict = await client.runs.wait(hand, name, input=say("strictly"), durability="sync")
    versions = await client.assistants.get_versions(name)
    try:
        await client.assistants.create(graph_id=name)
        unanswered = None
    except APIStatusError as error:
        unanswered = [error.status_code, error.code]
    return {
        "assistant": assistant["graph_id"],
        "takes": list(schemas["input_schema"]["properties"]),
        "texts": texts(values),
        "events": [part.event for part in parts],
        "pieces": "".join(pieces),
        "nodes": nodes,
        "asked": [one["value"] for one in asked["__interrupt__"]],
        "waiting": [waiting["status"], state["tasks"][0]["interrupts"][0]["value"], state["next"]],
        "resumed": texts(resumed)[-1],
        "stopped": [texts(stopped)[-1], stopped_next, texts(went_on)[-1]],
        "history": len(history),
        "forked": texts(forked),
        "copied": texts(copied["values"]),
        "joined": texts(joined)[-1],
        "rejected": rejected,
        "runs": [runs[background["run_id"]], runs[slow["run_id"]]],
        "failed": failed,
        "remembered": texts(remembered)[-1],
        "found": [item["value"]["text"] for item in found["items"]],
        "alone": alone,
        "mine": [at in mine, copy["thread_id"] in mine],
        "gone": gone,
        "unanswered": unanswered,
        "changed": [texts(changed["values"])[-1], changed["next"], same["checkpoint"] == changed["checkpoint"]],
        "by_values": [one["thread_id"] == hand for one in by_values],
        "pruned": [pruned["pruned_count"], kept],
        "graph": sorted(node["id"] for node in graph["nodes"]),
        "subgraphs": await client.assistants.get_subgraphs(name),
        "batch": [run["status"] for run in batch],
        "strict": texts(strict)[-1],
        "versions": [one["metadata"]["version"] for one in versions],
        "remote": await remote(),
    }


print(json.dumps(asyncio.run(main())))
