"""The interface of a framework; `langgraph/agent.py` and `crewai/agent.py` implement it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .graph_options import GraphOptions
from .runs.run_identity import RunIdentity

if TYPE_CHECKING:
    from .stream.run_stream import RunStream

JsonObject = dict[str, Any]
Event = dict[str, Any]
Threads = Literal["none", "memory", "external", "service"]


@dataclass(frozen=True)
class Call:
    """One request to the agent, checked for shape but not yet against the agent's own schema."""

    run_id: str
    thread_id: str
    input: JsonObject | None
    # The service counts its sendings of a call, from 1.
    attempt: int = 0
    # True when the caller named the thread; otherwise its id is made for the run.
    names_thread: bool = False
    resumes: bool = False
    resume: Any = None
    config: JsonObject = field(default_factory=dict)
    # langgraph's run-scoped context; None when the caller gave none.
    context: JsonObject | None = None
    metadata: JsonObject = field(default_factory=dict)
    # Both come from the ingress. Callers choose names of threads, and must not reach each other's threads.
    thread_space: str | None = None
    caller: JsonObject | None = None
    # How langgraph runs it; None: as every other call.
    graph: GraphOptions | None = None
    # For the requests of this run to the service.
    run: RunIdentity = field(default_factory=RunIdentity)

    @property
    def stored_thread_id(self) -> str:
        """The checkpointer's name of the thread; the caller gets only `thread_id`."""
        return self.thread_id if self.thread_space is None else f"{self.thread_space}:{self.thread_id}"

    @property
    def caller_id(self) -> str | None:
        """None without a named caller; this holds for all calls or for none (http/ingress_identity.py)."""
        return None if self.caller is None else str(self.caller["sub"])


@dataclass(frozen=True)
class Answer:
    """The agent's result. With `interrupts` the agent waits for a person and can be resumed."""

    output: Any
    interrupts: list[JsonObject] = field(default_factory=list)
    # The steps at which a run that had no end was continued: they may run twice.
    continued_at: list[str] = field(default_factory=list)


class Agent(Protocol):
    export: str
    kind: str
    input_schema: JsonObject
    # Without these a call is refused. The schema of a whole state requires more than that.
    required_fields: list[str]
    keeps_threads: bool
    # Where the agent keeps something for a later call: nowhere, in the container, outside it, or with the service. A
    # second container shares only the last two.
    threads: Threads
    # The user's setting for it; None when nothing is kept.
    threads_by: str | None
    # What the service needs to know about an agent for which it keeps threads or a store; None for another one.
    memory: JsonObject | None
    context_schema: JsonObject | None
    # Notices about the agent's limits, for people.
    notices: list[str]
    # Its calls wait on the loop instead of in threads, so more of them fit.
    is_async: bool

    def check(self, call: Call) -> None:
        """Raises a Problem for an impossible call, before any of the user's code runs."""

    def picture(self, depth: int | bool) -> JsonObject | None:
        """Nodes and edges; None for an agent that is no graph. True draws all nested graphs."""

    def subgraphs(self, namespace: str | None, *, recurse: bool) -> JsonObject | None:
        """The schemas of the nested graphs; None for an agent that is no graph."""

    async def run(self, call: Call, stream: RunStream | None) -> Answer:
        """Runs on the user's loop. With `stream`, sends events during the run."""
