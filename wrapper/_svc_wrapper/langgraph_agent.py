"""A compiled langgraph graph, run as langgraph itself runs it."""

from __future__ import annotations

import sys
import uuid
from typing import Any, get_args

from langgraph.types import Command, StreamMode

from . import log
from .agent import Answer, Call, JsonObject
from .encode import encode
from .langgraph_events import GraphEvents
from .langgraph_input import read_graph_input
from .problems import Problem
from .run_stream import RunStream

EXPORTS = ("graph", "app")

RESULT_MODES = ["updates", "values"]
# "tasks" tells when a node starts; versions without it stream without steps.
TOLD_MODES = [*RESULT_MODES, "messages", "custom", *(["tasks"] if "tasks" in get_args(StreamMode) else [])]

# `thread_id` has a field of its own in the request, `checkpoint…` chooses one: a caller that could set them here would
# reach threads that are not theirs. `svc_…` is what the service says about the caller.
RESERVED_CONFIGURABLE = ("thread_id", "checkpoint", "svc_", "__")
CALLER_CONFIG = {"configurable", "metadata", "recursion_limit", "tags"}


def refusal_of(exported: Any) -> str | None:
    """Why this is not a graph that can run; None when it is one."""
    if callable(getattr(exported, "ainvoke", None)) and callable(getattr(exported, "astream", None)):
        return "is a class, not a compiled graph" if isinstance(exported, type) else None
    if callable(getattr(exported, "compile", None)) and hasattr(exported, "add_node"):
        return f"is a {type(exported).__name__} that is not compiled: export what its compile() returns"
    return f"is a {type(exported).__name__}, not a compiled graph"


def wrap(name: str, graph: Any) -> GraphAgent:
    if sys.version_info < (3, 11):
        # asyncio tasks of 3.10 take no context, which langgraph needs for these.
        log.warning("old_python", message="interrupt(), stream writers and streamed tokens need Python 3.11")
    return GraphAgent(name, graph)


class GraphAgent:
    kind = "graph"

    def __init__(self, export: str, graph: Any) -> None:
        self.export = export
        self.graph = graph
        self.takes = read_graph_input(graph)
        self.input_schema = self.takes.schema
        # None and False both mean that the graph keeps nothing between runs.
        self.keeps_threads = bool(getattr(graph, "checkpointer", None))
        self.has_breakpoints = bool(
            getattr(graph, "interrupt_before_nodes", None) or getattr(graph, "interrupt_after_nodes", None)
        )

    def check(self, call: Call) -> None:
        check_config(call.config)
        if call.resumes and not self.keeps_threads:
            raise Problem("invalid_request", "the graph has no checkpointer, so there is nothing to resume")
        if not call.resumes:
            self.takes.check(call.input or {})

    async def run(self, call: Call, stream: RunStream | None) -> Answer:
        config = run_config(call)
        given = await self._resumption(call, config) if call.resumes else call.input
        result, found = await self._stream(given, config, stream)
        interrupts = [readable_interrupt(interrupt) for interrupt in found]
        if self.keeps_threads and self.has_breakpoints and not interrupts:
            state = await self.graph.aget_state(config)
            interrupts = [{"id": node, "value": None, "next": node} for node in state.next]
        return Answer(without_interrupts(result), interrupts)

    async def _stream(self, given: Any, config: JsonObject, stream: RunStream | None) -> tuple[Any, list[Any]]:
        """The last state and the interrupts. As ainvoke does it, which in langgraph 0 drops the interrupts."""
        result: Any = None
        interrupts: list[Any] = []
        events = GraphEvents(stream.transcript) if stream else None
        async for mode, chunk in self.graph.astream(given, config, stream_mode=TOLD_MODES if stream else RESULT_MODES):
            if mode == "values":
                result = chunk
            if mode == "updates" and isinstance(chunk, dict):
                interrupts += chunk.get("__interrupt__") or ()
            if stream and events:
                await stream.send(events.of(mode, chunk))
        return result, interrupts

    async def _resumption(self, call: Call, config: JsonObject) -> Any:
        state = await self.graph.aget_state(config)
        if not state.next:
            raise Problem("nothing_to_resume", f"thread {call.thread_id} does not wait for anything")
        waits_for_value = any(task.interrupts for task in state.tasks)
        # A breakpoint set at compile time asks for no value: the graph goes on with None as input.
        return Command(resume=call.resume) if waits_for_value else None


def check_config(config: JsonObject) -> None:
    unknown = sorted(config.keys() - CALLER_CONFIG)
    if unknown:
        raise Problem("invalid_request", f"config takes {', '.join(sorted(CALLER_CONFIG))}, not {', '.join(unknown)}")
    configurable = config.get("configurable", {})
    if not isinstance(configurable, dict) or not isinstance(config.get("metadata", {}), dict):
        raise Problem("invalid_request", "config.configurable and config.metadata must be objects")
    reserved = sorted(key for key in configurable if key.startswith(RESERVED_CONFIGURABLE))
    if reserved:
        raise Problem("invalid_request", f"config.configurable cannot set {', '.join(reserved)}")
    limit = config.get("recursion_limit", 1)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise Problem("invalid_request", "config.recursion_limit must be a whole number of at least 1")
    tags = config.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise Problem("invalid_request", "config.tags must be a list of strings")


def run_config(call: Call) -> JsonObject:
    """A graph with a checkpointer raises without a thread_id; one without ignores it."""
    named = {"thread_id": call.stored_thread_id, "svc_caller": call.caller}
    return {
        **call.config,
        "run_id": uuid.UUID(call.run_id),
        "configurable": {**call.config.get("configurable", {}), **named},
        "metadata": {**call.config.get("metadata", {}), **call.metadata},
    }


def readable_interrupt(interrupt: Any) -> JsonObject:
    # Before langgraph 0.6 an interrupt had no id but a namespace.
    return {"id": getattr(interrupt, "id", None), "value": encode(getattr(interrupt, "value", interrupt))}


def without_interrupts(result: Any) -> Any:
    if isinstance(result, dict) and "__interrupt__" in result:
        return {key: value for key, value in result.items() if key != "__interrupt__"}
    return result
