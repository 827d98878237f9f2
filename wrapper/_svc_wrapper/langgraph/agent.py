"""A langgraph graph, run as by langgraph itself."""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path
from typing import Any, get_args

from langgraph.types import Command, Send, StreamMode

from .. import log
from ..agent import Answer, Call, JsonObject, Threads
from ..encode import encode
from ..entry.exports import article
from ..graph_options import GraphOptions, command_of
from ..memory.door import Door
from ..memory.run_memory import RunMemory
from ..problems import AnswerRefused, Problem
from ..stream.run_stream import RunStream
from .answers import check_answer, is_misfit, what_does_not_fit
from .context import RESERVED_CONFIGURABLE, read_graph_context
from .events import GraphEvents
from .graph_items import graph_items
from .input import read_graph_input
from .kept.service_memory import Kept, ServiceMemory, check_nodes, durability_arguments, not_kept, without_saver
from .memory import explain_missing_store, memory_notices, threads_of, threads_setting
from .parts import GraphParts, langgraph_form
from .picture import picture_of, subgraphs_of
from .source import GraphSource, OneGraph, is_builder, is_graph, read_source
from .sync_nodes import has_sync_nodes
from .update_state import update_state

EXPORTS = ("graph", "app")

RESULT_MODES = ["updates", "values"]
# "tasks" reports the start of a node; versions without it stream without steps.
TOLD_MODES = [*RESULT_MODES, "messages", "custom", *(["tasks"] if "tasks" in get_args(StreamMode) else [])]

# Says which nodes come next after each checkpoint, before langgraph 0.6 among other things. Readers never see it.
STORED_MODE = "checkpoints" if "checkpoints" in get_args(StreamMode) else "debug"

CALLER_CONFIG = {"configurable", "metadata", "recursion_limit", "tags"}


def refusal_of(exported: Any) -> str | None:
    """The reason why this is not a compiled graph, as the spec requires; else None."""
    if is_graph(exported):
        return None
    if isinstance(exported, type):
        return f"is the class {exported.__name__}, not a compiled graph"
    if is_builder(exported):
        return f"is {article(exported)} that is not compiled: export the result of its compile()"
    return f"is {article(exported)}, not a compiled graph"


def memory_of(door: Door, app_folder: Path) -> JsonObject:
    """The argument with which the service keeps threads and store."""
    return {"memory": ServiceMemory(door, app_folder)}


def wrap(name: str, graph: Any, source: GraphSource | None = None, memory: ServiceMemory | None = None) -> GraphAgent:
    if sys.version_info < (3, 11):
        # langgraph needs a task's context here, and asyncio tasks of 3.10 take none.
        log.warning("old_python", message="interrupt(), stream writers and streamed tokens need Python 3.11")
    return GraphAgent(name, graph, source, memory)


def wrap_entrypoint(
    name: str, exported: Any, loop: asyncio.AbstractEventLoop, memory: ServiceMemory | None = None
) -> GraphAgent:
    """An entrypoint can also name a function that makes the graph. Raises WrongExport, and exceptions of the
    user's code.
    """
    source, graph = read_source(name, exported, loop, memory.runtime if memory else None)
    return wrap(name, graph, source, memory)


class GraphAgent:
    kind = "graph"

    def __init__(
        self, export: str, graph: Any, source: GraphSource | None = None, memory: ServiceMemory | None = None
    ) -> None:
        self.export = export
        self.graph = graph
        self.source = source or OneGraph(graph)
        self.kept = memory.attach(graph) if memory else Kept()
        self.by_service = memory if self.kept.anything else None
        uses = self.by_service.uses(graph) if self.by_service else None
        self.memory = self.by_service.told(uses) if self.by_service and uses else None
        self.runs_bare = self.kept.threads and self.kept.is_bare and uses is not None and not uses.waiting
        self.takes = read_graph_input(graph)
        self.input_schema = self.takes.schema
        self.required_fields = self.takes.required
        self.context = read_graph_context(graph)
        self.context_schema = self.context.schema
        self.threads: Threads = "service" if self.kept.threads else threads_of(graph)
        self.threads_by = None if self.kept.threads else threads_setting(graph)
        self.exit_arguments = durability_arguments(graph, "exit")
        self.sync_arguments = durability_arguments(graph, "sync")
        self.keeps_threads = self.threads != "none"
        self.notices = [*memory_notices(graph, is_per_call=self.source.is_per_call), *self.kept.notices]
        self.is_async = not has_sync_nodes(graph)
        self.has_breakpoints = bool(
            getattr(graph, "interrupt_before_nodes", None) or getattr(graph, "interrupt_after_nodes", None)
        )

    def check(self, call: Call) -> None:
        check_config(call.config)
        if call.resumes and not self.keeps_threads:
            raise Problem("invalid_request", "the graph has no checkpointer, so there is nothing to resume")
        if not call.resumes:
            self.takes.check(call.input or {})
        self.context.check(call)

    async def run(self, call: Call, stream: RunStream | None) -> Answer:
        if self.by_service is None:
            return (await self._run(call, stream, None))[0]
        return await self.by_service.answer(call, self.kept, lambda memory: self._run(call, stream, memory))

    def picture(self, depth: int | bool) -> JsonObject:
        return picture_of(self.graph, depth)

    def subgraphs(self, namespace: str | None, *, recurse: bool) -> JsonObject:
        return subgraphs_of(self.graph, namespace, recurse=recurse)

    async def _run(
        self, call: Call, stream: RunStream | None, memory: RunMemory | None
    ) -> tuple[Answer, list[str] | None]:
        """The answer, and the nodes that come next when the run's own checkpoints did not say them."""
        config = run_config(call, self.context.configurable(call))
        is_bare = self.runs_bare and not call.names_thread
        async with self.source.open(config) as graph:
            if self.by_service and self.source.is_per_call:
                self.by_service.attach(graph)
            try:
                answered = await self._answer(
                    graph, call, without_saver(config) if is_bare else config, stream, None if is_bare else memory
                )
            except Exception as error:
                explain_missing_store(error, graph)
                raise
            if is_bare and answered[0].interrupts:
                raise not_kept(call.thread_id)
            return answered

    async def _answer(
        self, graph: Any, call: Call, config: JsonObject, stream: RunStream | None, memory: RunMemory | None
    ) -> tuple[Answer, list[str] | None]:
        if call.graph and call.graph.is_update:
            return await update_state(graph, call, config, memory)
        given, continued_at = call.input, []
        if call.graph and call.graph.is_command:
            given = await self._command(graph, call, config)
        elif call.resumes:
            given, continued_at = await self._resumption(graph, call, config, call.resume)
        if stream and continued_at:
            await stream.send(stream.transcript.custom("continued_at", continued_at))
        try:
            result, found = await self._stream(graph, given, call, config, stream, memory)
        except Exception as error:
            if not is_misfit(error):
                raise
            state = await graph.aget_state(latest(config))
            waiting = [readable_interrupt(one) for task in state.tasks for one in task.interrupts]
            raise AnswerRefused(what_does_not_fit(error), waiting) from error
        interrupts = [readable_interrupt(interrupt) for interrupt in found]
        next_nodes: list[str] | None = None
        asked = call.graph
        stops = self.has_breakpoints or bool(asked and (asked.before or asked.after))
        waits_unseen = stops and not interrupts
        waits_untold = bool(interrupts) and self.kept.threads and memory is not None and memory.held is not None
        if self.keeps_threads and (waits_unseen or waits_untold):
            state = await graph.aget_state(latest(config))
            next_nodes = list(state.next)
            if waits_unseen:
                interrupts = [{"id": node, "value": None, "next": node} for node in state.next]
        output = output_of(graph, without_interrupts(result))
        return Answer(langgraph_form(output) if asked else output, interrupts, continued_at), next_nodes

    async def _resumption(self, graph: Any, call: Call, config: JsonObject, answer: Any) -> tuple[Any, list[str]]:
        """The input that goes on, and the nodes of a run that had no end."""
        state = await graph.aget_state(config)
        if self.kept.threads:
            await check_nodes(graph, config, call.thread_id)
        if not state.next:
            raise Problem("nothing_to_resume", f"thread {call.thread_id} does not wait for anything")
        if call.graph and call.graph.goes_on:
            return None, []
        waiting = [interrupt for task in state.tasks for interrupt in task.interrupts]
        if waiting:
            check_answer(waiting, answer)
            return Command(resume=answer), []
        # A breakpoint of compile time needs no value: the graph continues with None as input.
        return None, list(state.next) if self.kept.threads else []

    async def _command(self, graph: Any, call: Call, config: JsonObject) -> Command:
        said = command_of(call.resume)
        if "resume" in said:
            await self._resumption(graph, call, config, said["resume"])
        goto = said.get("goto") or ()
        places = [sent_to(place) for place in (goto if isinstance(goto, list) else [goto])] if goto else ()
        return Command(resume=said.get("resume"), update=said.get("update"), goto=places)

    async def _stream(
        self,
        graph: Any,
        given: Any,
        call: Call,
        config: JsonObject,
        stream: RunStream | None,
        memory: RunMemory | None,
    ) -> tuple[Any, list[Any]]:
        """The last state and the interrupts. Like ainvoke, but ainvoke of langgraph 0 drops the interrupts."""
        result: Any = None
        interrupts: list[Any] = []
        asked = call.graph
        events = GraphEvents(stream.transcript) if stream and not asked else None
        parts = GraphParts(stream.transcript, asked) if stream and asked else None
        modes = TOLD_MODES if events else [*RESULT_MODES, *(parts.modes - set(RESULT_MODES) if parts else ())]
        arguments = {**self.context.arguments(call), **(asked_arguments(asked) if asked else {})}
        if memory is not None and memory.held is not None:
            arguments = {**arguments, **self.exit_arguments}
        elif asked and asked.durability == "sync":
            arguments = {**arguments, **self.sync_arguments}
            if memory is not None:
                memory.flushes_steps = True
        if memory is not None and memory.held is None and self.kept.threads:
            modes = [*modes, *({STORED_MODE} - set(modes))]
        subgraphs = bool(asked and asked.subgraphs)
        async for ns, mode, chunk in graph_items(graph, given, config, modes=modes, subgraphs=subgraphs, **arguments):
            if mode == STORED_MODE and memory is not None:
                tell_next(memory, chunk if mode == "checkpoints" else chunk.get("payload"))
            if mode == "values" and not ns:
                result = chunk
            if mode == "updates" and not ns and isinstance(chunk, dict):
                interrupts += chunk.get("__interrupt__") or ()
            if stream and parts:
                await stream.send(parts.of(ns, mode, chunk))
            if stream and events:
                await stream.send(events.of(mode, chunk))
        return result, interrupts


def tell_next(memory: RunMemory, said: Any) -> None:
    # Tasks have no nodes that come next.
    if isinstance(said, dict) and "next" in said:
        at = said["config"]["configurable"]
        memory.comes_next(at.get("checkpoint_ns", ""), at["checkpoint_id"], list(said["next"]))


def latest(config: JsonObject) -> JsonObject:
    """Of a run that began at an earlier state."""
    at = {name: value for name, value in config["configurable"].items() if name != "checkpoint_id"}
    return {**config, "configurable": at}


def asked_arguments(asked: GraphOptions) -> JsonObject:
    """For astream. Absent ones leave the breakpoints of the compiled graph."""
    nodes = {"interrupt_before": asked.before, "interrupt_after": asked.after}
    return {name: value for name, value in nodes.items() if value is not None}


def sent_to(place: Any) -> Any:
    """The name of a node, or `{node, input}`: one more run of it with an input of its own."""
    if isinstance(place, dict) and isinstance(place.get("node"), str):
        return Send(place["node"], place.get("input"))
    if isinstance(place, str):
        return place
    raise Problem("invalid_request", "goto names a node, or is {node, input}")


def output_of(graph: Any, state: Any) -> Any:
    """What the graph gives of its state, as its ainvoke does: `output_schema` may leave members out."""
    channels = graph.output_channels
    if isinstance(channels, str) or not isinstance(state, dict):
        return state
    return {name: state[name] for name in channels if name in state}


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


def run_config(call: Call, configurable: JsonObject) -> JsonObject:
    """A graph with a checkpointer raises without a thread_id; one without a checkpointer ignores it."""
    named = {"thread_id": call.stored_thread_id, "svc_caller": call.caller}
    if call.graph and call.graph.checkpoint_id:
        named["checkpoint_id"] = call.graph.checkpoint_id
    return {
        **call.config,
        "run_id": uuid.UUID(call.run_id),
        "configurable": {**configurable, **named},
        "metadata": {**call.config.get("metadata", {}), **call.metadata},
    }


def readable_interrupt(interrupt: Any) -> JsonObject:
    # Before langgraph 0.6 an interrupt had a namespace instead of an id.
    said = {"id": getattr(interrupt, "id", None), "value": encode(getattr(interrupt, "value", interrupt))}
    schema = getattr(interrupt, "response_schema", None)
    return {**said, "response_schema": encode(schema)} if isinstance(schema, dict) else said


def without_interrupts(result: Any) -> Any:
    if isinstance(result, dict) and "__interrupt__" in result:
        return {key: value for key, value in result.items() if key != "__interrupt__"}
    return result
