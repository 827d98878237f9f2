"""What a running graph says, item by item, with langchain's own events for who asks for them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ..agent import JsonObject

EVENTS_MODE = "events"
# Of these pieces an event repeats what a step before it has said, so only those of a model are sent.
PIECES = "_stream"
MODEL_PIECES = "on_chat_model_stream"

# A namespace, a mode and its value.
Item = tuple[tuple[str, ...], str, Any]


async def graph_items(
    graph: Any, given: Any, config: JsonObject, *, modes: list[str], subgraphs: bool, **arguments: Any
) -> AsyncIterator[Item]:
    """The items of `graph.astream`. With the mode `events`, they are read from `graph.astream_events`."""
    # Parts of nested graphs come only when they are asked for.
    if subgraphs:
        arguments["subgraphs"] = True
    if EVENTS_MODE not in modes:
        async for item in graph.astream(given, config, stream_mode=modes, **arguments):
            yield item if subgraphs else ((), *item)
        return
    inner = [mode for mode in modes if mode != EVENTS_MODE]
    async for event in graph.astream_events(given, config, version="v2", stream_mode=inner, **arguments):
        if event["event"] == "on_chain_stream" and event["run_id"] == str(config["run_id"]):
            item = event["data"]["chunk"]
            yield item if subgraphs else ((), *item)
        elif is_told(event):
            yield (), EVENTS_MODE, event


def is_told(event: JsonObject) -> bool:
    is_piece = event["event"].endswith(PIECES) and event["event"] != MODEL_PIECES
    return not is_piece and "langsmith:hidden" not in event.get("tags", ())
