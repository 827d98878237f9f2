"""A crewai crew, a single crewai agent, or a flow.

kickoff() writes the inputs into the crew's tasks and agents, so each run gets a copy of the exported object.
Some tools have locks or connections and cannot be copied. Their crew does one run at a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .. import log
from ..agent import Answer, Call, JsonObject
from ..entry.exports import article
from ..input_check import check_required, check_types, refuse
from ..memory.door import Door
from ..memory.run_memory import RunMemory
from ..problems import Problem
from ..stream.run_stream import RunStream
from .console import human_input_notices, refuse_console
from .events import CrewEvents, tell_events
from .flow import FirstState, flow_output, state_schema
from .flow_call import FlowCall
from .kept.crew_memory import CrewMemory, Kept
from .memory import kept_threads_of
from .source import is_flow_class, read_crew

EXPORTS = ("crew", "agent")

# The placeholders that crewai replaces; other braces in a prompt, such as those of JSON, stay.
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")


def refusal_of(exported: Any) -> str | None:
    """The reason why this cannot run, else None."""
    if isinstance(exported, type):
        return f"is the class {exported.__name__}, not an instance of it"
    if not callable(getattr(exported, "kickoff", None)):
        return f"is {article(exported)}, which has no kickoff()"
    return None


def memory_of(door: Door, app_folder: Path) -> JsonObject:
    """The argument with which the service keeps them."""
    return {"memory": CrewMemory(door, app_folder)}


def wrap(name: str, exported: Any, memory: CrewMemory | None = None) -> CrewAgent:
    return CrewAgent(name, exported, memory=memory)


def wrap_entrypoint(
    name: str, exported: Any, loop: asyncio.AbstractEventLoop, memory: CrewMemory | None = None
) -> CrewAgent:
    """An entrypoint can also name a function or class that makes the crew. Raises WrongExport, and exceptions
    of the user's code.
    """
    first = read_crew(name, exported, loop)
    # A flow has its own state, so each run gets a new flow from its class or its function.
    if is_flow_class(exported):
        return CrewAgent(name, first, exported, memory)
    makes_flow = inspect.isroutine(exported) and is_flow_class(type(first))
    return CrewAgent(name, first, (lambda: read_crew(name, exported, loop)) if makes_flow else None, memory)


class CrewAgent:
    context_schema = None
    is_async = False

    def __init__(
        self,
        export: str,
        exported: Any,
        make: Callable[[], Any] | None = None,
        memory: CrewMemory | None = None,
    ) -> None:
        self.export = export
        self.exported = exported
        self.make = make
        self.kind = kind_of(exported)
        self.by_service = memory
        self.kept = memory.attach(exported) if memory else Kept()
        self.threads, self.threads_by = ("service", None) if self.kept.threads else kept_threads_of(exported)
        # A crew remembers facts, and no thread that a caller could name.
        self.keeps_threads = self.kept.threads
        self.memory = {"needs_run": self.kept.needs_run} if self.kept.anything else None
        self.notices = [*self.kept.notices(), *human_input_notices(exported)]
        self.required_fields = required_variables(exported) if self.kind == "crew" else []
        self.input_schema = self._schema()
        # A class makes another flow each time. A function can return the same one.
        self.first_state = FirstState(exported) if self.kind == "flow" and not isinstance(make, type) else None
        self.one_at_a_time = threading.Lock()

    def picture(self, depth: int | bool) -> JsonObject | None:
        return None

    def subgraphs(self, namespace: str | None, *, recurse: bool) -> JsonObject | None:
        return None

    def check(self, call: Call) -> None:
        if call.resumes and not self.kept.waits:
            raise Problem("invalid_request", "a crew does not wait for answers, so there is nothing to resume")
        if call.graph and (call.graph.before or call.graph.after):
            raise Problem("invalid_request", "breakpoints are for langgraph; a crew has no nodes")
        if call.graph and call.graph.is_update:
            raise Problem("invalid_request", "a state is changed by an update in langgraph; a crew has no such state")
        if call.config:
            raise Problem("invalid_request", "'config' is for langgraph; a crew takes its variables in 'input'")
        if call.context is not None:
            raise Problem("invalid_request", "'context' is for langgraph; a crew takes its variables in 'input'")
        refuse(check_required(call.input or {}, self.required_fields))
        if self.kind == "agent":
            refuse(check_messages(call.input or {}))
        if self.kind == "flow":
            refuse(check_types(call.input or {}, self.input_schema["properties"], skip={"id"}))
            if self.kept.persists and call.names_thread and "id" in (call.input or {}):
                raise Problem("invalid_request", "the thread has the state of the flow: leave out 'id'")

    def _schema(self) -> JsonObject:
        if self.kind == "agent":
            return MESSAGES_INPUT
        return state_schema(self.exported) if self.kind == "flow" else variables_schema(self.required_fields)

    async def run(self, call: Call, stream: RunStream | None) -> Answer:
        if self.by_service is None:
            return Answer(await self._in_executor(stream, lambda private: self._output(private, call)))
        return await self.by_service.answer(call, self.kept, lambda run: self._run_kept(call, stream, run))

    async def _run_kept(self, call: Call, stream: RunStream | None, run: RunMemory) -> tuple[Answer, list[str] | None]:
        if not self.kept.threads:
            return Answer(await self._in_executor(stream, lambda private: self._output(private, call))), None
        flow_call = FlowCall(call, run, self.kept)
        return await self._in_executor(stream, flow_call.answer)

    async def _in_executor(self, stream: RunStream | None, work: Callable[[Any], Any]) -> Any:
        cancelled = threading.Event()
        events = CrewEvents(stream, cancelled)
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        try:
            # Like crewai's kickoff_async, but the copying and the waiting are off the loop too. Not akickoff: tracers
            # wrap kickoff only.
            return await loop.run_in_executor(None, context.run, self._work, work, events)
        except asyncio.CancelledError:
            # A thread cannot be stopped, so the crew stops at its next event.
            cancelled.set()
            raise

    def _work(self, work: Callable[[Any], Any], events: CrewEvents) -> Any:
        with self._private_copy() as private, files_of_run(private), tell_events(events):
            if getattr(private, "stream", False):
                # With the user's `stream`, kickoff would return before the crew has worked.
                private.stream = False
            if events.stream:
                stream_tokens(private)
            refuse_console(private)
            return work(private)

    def _output(self, private: Any, call: Call) -> Any:
        given = call.input or {}
        if self.kind == "agent":
            return private.kickoff(given.get("messages") or given["input"])
        output = private.kickoff(inputs=given)
        return flow_output(private, output) if self.kind == "flow" else output

    @contextlib.contextmanager
    def _private_copy(self) -> Iterator[Any]:
        private = self._another()
        if private is not None and private is not self.exported:
            yield private
            return
        with self.one_at_a_time:
            if self.first_state:
                self.first_state.restore(self.exported)
            yield self.exported

    def _another(self) -> Any | None:
        if self.make:
            return self.make()
        return None if self.kind == "flow" else copy_of(self.exported)


def kind_of(exported: Any) -> str:
    if is_flow_class(type(exported)):
        return "flow"
    return "crew" if hasattr(exported, "tasks") else "agent"


# The copy of crewai leaves them out, and an agent without them has lost its tools.
NOT_COPIED = ("mcps", "apps")


def copy_of(exported: Any) -> Any | None:
    try:
        private = exported.copy()
        for agent, copied in zip(agents_of(exported), agents_of(private), strict=True):
            for name in NOT_COPIED:
                if given := getattr(agent, name, None):
                    setattr(copied, name, given)
        return private
    except Exception as error:
        log.warning("crew_not_copied", reason=f"{type(error).__name__}: {error}", effect="runs one at a time")
        return None


def agents_of(exported: Any) -> list[Any]:
    """Those of a crew with its manager, else the agent itself."""
    agents = getattr(exported, "agents", None)
    if agents is None:
        return [exported]
    manager = getattr(exported, "manager_agent", None)
    return [*agents, manager] if manager else list(agents)


@contextlib.contextmanager
def files_of_run(private: Any) -> Iterator[None]:
    """Tasks write files into a folder of the run. Parallel runs would overwrite each other's files, and the
    user's folder is read-only in a container. The reply has the text of the tasks.
    """
    writing = [task for task in getattr(private, "tasks", None) or () if getattr(task, "output_file", None)]
    if not writing:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="svc-run-") as folder:
        for task in writing:
            task.output_file = str(Path(folder) / task.output_file.lstrip("/"))
        yield


def stream_tokens(private: Any) -> None:
    """Makes the models of a private copy stream their tokens. These models are copies too."""
    for agent in getattr(private, "agents", None) or [private]:
        model = getattr(agent, "llm", None)
        if hasattr(model, "stream"):
            model.stream = True


def required_variables(crew: Any) -> list[str]:
    """The {placeholders} of tasks and agents, unless a callback of the crew can fill them in."""
    if getattr(crew, "before_kickoff_callbacks", None):
        return []
    texts = [text for task in crew.tasks for text in (task.description, task.expected_output)]
    texts += [text for agent in crew.agents for text in (agent.role, agent.goal, agent.backstory)]
    return sorted({name for text in texts for name in PLACEHOLDER.findall(text or "")})


def variables_schema(names: list[str]) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: {"title": name} for name in names},
        "required": names,
        "additionalProperties": True,
    }


MESSAGES_INPUT: JsonObject = {
    "type": "object",
    "properties": {
        "input": {"type": "string", "title": "Input"},
        "messages": {
            "type": "array",
            "title": "Messages",
            "items": {
                "type": "object",
                "properties": {"role": {"type": "string"}, "content": {"type": "string"}},
                "required": ["role", "content"],
            },
        },
    },
    "anyOf": [{"required": ["messages"]}, {"required": ["input"]}],
}


def check_messages(given: JsonObject) -> list[JsonObject]:
    messages = given.get("messages")
    if messages is None:
        usable = isinstance(given.get("input"), str) and given["input"]
        return [] if usable else [{"pointer": "/input/messages", "detail": "'messages' or 'input' is required"}]
    usable = isinstance(messages, list) and all(
        isinstance(message, dict) and isinstance(message.get("role"), str) and "content" in message
        for message in messages
    )
    if usable and messages:
        return []
    return [{"pointer": "/input/messages", "detail": "'messages' must be a list of {role, content}"}]
