"""One call of a flow whose states the service keeps.

It goes on with its thread, waits for a person, and goes on with the answer.
"""

from __future__ import annotations

import uuid
from typing import Any

from ..agent import Answer, Call, JsonObject
from ..memory.run_memory import RunMemory
from ..problems import Problem
from .flow import begin_anew, flow_output, put_state
from .kept.crew_memory import Kept
from .kept.defaults import persistence
from .kept.flow_thread import FlowThread, in_thread_of


class FlowCall:
    def __init__(self, call: Call, run: RunMemory, kept: Kept) -> None:
        self.call = call
        self.run = run
        self.kept = kept

    def answer(self, flow: Any) -> tuple[Answer, list[str]]:
        """The answer, and the steps that come next."""
        given: JsonObject = self.call.input or {}
        thread = FlowThread(self.run, str(given.get("id") or uuid.uuid4()), persists=self.kept.persists)
        with in_thread_of(thread):
            thread.check(flow)
            output = self._resumed(flow, thread) if self.call.resumes else self._begun(flow, thread, given)
            interrupts = [interrupt] if (interrupt := interrupt_in(output)) else []
            next_steps = [one["id"] for one in interrupts]
            thread.ends(next_steps)
        return Answer(flow_output(flow, None if interrupts else output), interrupts), next_steps

    def _begun(self, flow: Any, thread: FlowThread, given: JsonObject) -> Any:
        # A new call is no answer to what the thread has asked.
        thread.stop_waiting(thread.flow_id)
        # With `@persist` at a step alone, or for a question alone, crewai would choose one later.
        flow.persistence = persistence()
        put_state(flow, thread.load(thread.flow_id) if self.kept.persists else None, thread.flow_id)
        return kept_pending(lambda: flow.kickoff(inputs=given))

    def _resumed(self, flow: Any, thread: FlowThread) -> Any:
        if thread.waiting is None:
            raise Problem("nothing_to_resume", f"thread {self.call.thread_id} does not wait for anything")
        from .kept.feedback import words_of

        begin_anew(flow)

        def this_flow(persistence: Any) -> Any:
            flow.persistence = persistence
            return flow

        # crewai would make another flow of the class, without what the user's code has given to this one.
        type(flow).from_pending.__func__(this_flow, thread.flow_id, persistence())
        return kept_pending(lambda: flow.resume(words_of(self.call.resume)))


def kept_pending(work: Any) -> Any:
    """A flow that waits returns crewai's signal. One of its steps can also raise it."""
    from crewai.flow.async_feedback.types import HumanFeedbackPending

    try:
        return work()
    except HumanFeedbackPending as pending:
        return pending


def interrupt_in(output: Any) -> JsonObject | None:
    from crewai.flow.async_feedback.types import HumanFeedbackPending

    from .kept.feedback import interrupt_of

    return interrupt_of(output) if isinstance(output, HumanFeedbackPending) else None
