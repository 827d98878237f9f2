"""What a framework has to do for the server; langgraph_agent and crewai_agent implement it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .run_stream import RunStream

JsonObject = dict[str, Any]
Event = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One request to the agent, checked for shape but not yet against the agent's own schema."""

    run_id: str
    thread_id: str
    input: JsonObject | None
    # The caller named the thread; without that its id is made up for the run.
    names_thread: bool = False
    resumes: bool = False
    resume: Any = None
    config: JsonObject = field(default_factory=dict)
    # langgraph's run-scoped context; None when the caller gave none.
    context: JsonObject | None = None
    metadata: JsonObject = field(default_factory=dict)
    # Both from the ingress: callers name their threads themselves, and must not meet each other's.
    thread_space: str | None = None
    caller: JsonObject | None = None

    @property
    def stored_thread_id(self) -> str:
        """What a checkpointer knows the thread by; the caller sees `thread_id` only."""
        return self.thread_id if self.thread_space is None else f"{self.thread_space}:{self.thread_id}"

    @property
    def caller_id(self) -> str | None:
        """None where nobody is named, which is so for every call or for none (ingress_identity.py)."""
        return None if self.caller is None else str(self.caller["sub"])


@dataclass(frozen=True)
class Answer:
    """What the agent returned; `interrupts` means that it waits for a person and can be resumed."""

    output: Any
    interrupts: list[JsonObject] = field(default_factory=list)


class Agent(Protocol):
    export: str
    kind: str
    input_schema: JsonObject
    keeps_threads: bool
    # Where a conversation is kept: nowhere, in the container, or where other containers find it too.
    threads: str
    context_schema: JsonObject | None
    # What a person should know before they rely on the agent.
    notices: list[str]
    # Its calls wait on the loop, not in a thread each: more of them fit.
    is_async: bool

    def check(self, call: Call) -> None:
        """Raises a Problem for a call that cannot succeed, before any of the user's code runs."""

    async def run(self, call: Call, stream: RunStream | None) -> Answer:
        """Runs on the user's loop. With `stream`, tells what happens while it happens."""
