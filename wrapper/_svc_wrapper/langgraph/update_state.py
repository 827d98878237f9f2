"""A change of a thread's state by its client, as `graph.update_state` makes it: the writers of a node run."""

from __future__ import annotations

from typing import Any

from langgraph.errors import InvalidUpdateError

from ..agent import Answer, Call, JsonObject
from ..memory.run_memory import RunMemory
from ..problems import Problem


async def update_state(
    graph: Any, call: Call, config: JsonObject, memory: RunMemory | None
) -> tuple[Answer, list[str] | None]:
    """The new state as `{checkpoint_ns, checkpoint_id}`, and the nodes that come next. They wait for the client."""
    values, as_node = read_update(call.resume)
    try:
        changed = await graph.aupdate_state(config, values, as_node=as_node)
    except InvalidUpdateError as error:
        raise Problem("invalid_request", f"the graph refuses the update: {error}") from error
    at = changed["configurable"]
    place = {name: at.get(name, "") for name in ("checkpoint_ns", "checkpoint_id")}
    next_nodes = list((await graph.aget_state(changed)).next)
    if memory is not None:
        memory.comes_next(place["checkpoint_ns"], place["checkpoint_id"], next_nodes)
    waiting = [{"id": node, "value": None, "next": node} for node in next_nodes]
    return Answer(place, waiting), next_nodes


def read_update(said: Any) -> tuple[Any, str | None]:
    if not isinstance(said, dict) or said.keys() - {"values", "as_node"}:
        raise Problem("invalid_request", "an update has values and as_node")
    as_node = said.get("as_node")
    if as_node is not None and not isinstance(as_node, str):
        raise Problem("invalid_request", "as_node is the name of a node")
    return said.get("values"), as_node
