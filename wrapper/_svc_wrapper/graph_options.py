"""How langgraph runs a call, as the clients of its own API ask for it. Only the service says so, in a header."""

from __future__ import annotations

import json
import urllib.parse
from dataclasses import dataclass
from typing import Any

from .problems import Problem

GRAPH_HEADER = "X-Svc-Graph"
# "events" are langchain's, of `graph.astream_events`; the others are stream modes of `graph.astream`.
MODES = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug", "events")

Nodes = str | list[str]


@dataclass(frozen=True)
class GraphOptions:
    # The modes whose parts are sent.
    modes: tuple[str, ...] = ()
    # Also the parts of nested graphs.
    subgraphs: bool = False
    # "*" is every node.
    before: Nodes | None = None
    after: Nodes | None = None
    # `resume` of the body is a langgraph Command: resume, update and goto.
    is_command: bool = False
    # `resume` of the body is a change of the state, and no node runs: values and as_node.
    is_update: bool = False
    # The run goes on without a value.
    goes_on: bool = False
    # The state of the thread from which the run starts; None: the latest.
    checkpoint_id: str | None = None
    # "sync": each step waits until the service has stored the one before it.
    durability: str | None = None


def read_graph_options(header: str | None) -> GraphOptions | None:
    if header is None:
        return None
    try:
        said = json.loads(urllib.parse.unquote(header, errors="strict"))
        options = GraphOptions(**{**said, "modes": tuple(said.get("modes", ()))})
    except (ValueError, TypeError, AttributeError) as error:
        raise Problem("invalid_request", f"{GRAPH_HEADER} cannot be read: {error}") from None
    unknown = sorted(set(options.modes) - set(MODES))
    if unknown:
        raise Problem("invalid_request", f"{GRAPH_HEADER} names modes that are none: {', '.join(unknown)}")
    return options


def command_of(resume: Any) -> dict[str, Any]:
    """The members of a langgraph Command. Raises a Problem for another value."""
    if not isinstance(resume, dict) or resume.keys() - {"resume", "update", "goto"}:
        raise Problem("invalid_request", "a command has resume, update or goto")
    return resume
