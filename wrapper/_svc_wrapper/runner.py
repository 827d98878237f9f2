"""Takes a call through its life: admitted, waiting, running on the user's loop, ended.

Every run ends with exactly one `End`, whatever happens: an answer, an exception of the user's code, a
cancel, or the shutdown of the container.
"""

from __future__ import annotations

import asyncio
import time

from . import log
from .admission import Admission, Turn
from .agent import Agent, Answer, Call
from .encode import to_json
from .problems import Problem
from .run_stream import RunStream
from .runs import End, Run, Runs
from .user_loop import UserLoop

# An exception's text can hold whole documents; the log has all of it.
MAX_MESSAGE_CHARACTERS = 4000


class AgentFailed(Exception):
    """The user's code raised; wraps it so that no type of exception can pass for one of ours."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Runner:
    """Lives on the main loop."""

    def __init__(self, runs: Runs, admission: Admission, user_loop: UserLoop) -> None:
        self.runs = runs
        self.admission = admission
        self.user_loop = user_loop

    def start(self, agent: Agent, call: Call, stream: RunStream | None = None) -> Run:
        """Refuses with a Problem before anything runs; a run that is returned will end."""
        agent.check(call)
        if call.names_thread and not agent.keeps_threads:
            raise threads_not_kept()
        run = Run(
            id=call.run_id,
            thread_id=call.thread_id if agent.keeps_threads else None,
            metadata=call.metadata,
            metadata_bytes=len(to_json(call.metadata)),
        )
        self.runs.add(run)
        try:
            turn = self.admission.admit(call.caller_id)
        except Problem:
            self.runs.remove(run)
            raise
        run.task = asyncio.create_task(self._see_through(agent, call, run, turn, stream))
        run.task.add_done_callback(lambda _: self._settle(run, turn))
        return run

    async def ended(self, run: Run, timeout_seconds: float | None = None) -> bool:
        """Waits for the end of a run; giving up waiting does not end the run."""
        if run.task:
            await asyncio.wait([run.task], timeout=timeout_seconds)
        return run.end is not None

    async def _see_through(self, agent: Agent, call: Call, run: Run, turn: Turn, stream: RunStream | None) -> None:
        began = time.monotonic()
        end = await self._end_of(agent, call, run, turn, stream)
        run.finish(end)
        log.info("run_ended", run_id=run.id, status=end.status, seconds=round(time.monotonic() - began, 3))
        if stream:
            await tell_end(stream, end)

    def _settle(self, run: Run, turn: Turn) -> None:
        """Once for every run, also for one that was cut off before its task took a first step."""
        self.admission.leave(turn)
        if run.end is None:
            run.finish(cut_off_end(run))

    async def _end_of(self, agent: Agent, call: Call, run: Run, turn: Turn, stream: RunStream | None) -> End:
        try:
            await turn.came.wait()
            run.start()
            log.info("run_started", run_id=run.id)
            if stream:
                await stream.start()
            return await self.user_loop.run(answer_of(agent, call, stream))
        except asyncio.CancelledError as error:
            # The user's code can cancel its own tasks; only what was asked for here is a cancel.
            if run.cut_off_as is None:
                return End("failed", problem=agent_error(run, error))
            return cut_off_end(run)
        except Problem as problem:
            problem.fields.setdefault("run_id", run.id)
            return End("failed", problem=problem)
        except AgentFailed as failure:
            log.error("agent_error", failure.cause, run_id=run.id)
            return End("failed", problem=agent_error(run, failure.cause))
        except Exception as error:
            log.error("internal", error, run_id=run.id)
            return End("failed", problem=Problem("internal", "the wrapper itself failed", run_id=run.id))


async def answer_of(agent: Agent, call: Call, stream: RunStream | None) -> End:
    """Runs on the user's loop, which also makes the JSON: a large result must not hold up the main loop."""
    try:
        answer: Answer = await agent.run(call, stream)
    except (asyncio.CancelledError, Problem):
        raise
    except BaseException as error:  # also SystemExit: sys.exit() ends this run and nothing else
        raise AgentFailed(error) from error
    status = "interrupted" if answer.interrupts else "completed"
    interrupts = to_json(answer.interrupts) if answer.interrupts else None
    closing = stream.transcript.finished(answer.output, answer.interrupts) if stream else []
    return End(status, to_json(answer.output), interrupts, closing=[to_json(event) for event in closing])


def cut_off_end(run: Run) -> End:
    if run.cut_off_as == "interrupted":
        sentence = "the container stopped before the run ended"
        return End("interrupted", problem=Problem("run_interrupted", sentence, run_id=run.id, run_status="interrupted"))
    sentence = "the run was cancelled"
    return End("cancelled", problem=Problem("run_cancelled", sentence, run_id=run.id, run_status="cancelled"))


def agent_error(run: Run, cause: BaseException) -> Problem:
    message = str(cause)[:MAX_MESSAGE_CHARACTERS]
    return Problem(
        "agent_error",
        f"the agent's code raised {type(cause).__name__}: {message}",
        run_id=run.id,
        run_status="failed",
        exception={"type": type(cause).__name__, "message": message},
    )


def threads_not_kept() -> Problem:
    return Problem(
        "threads_not_kept",
        "the agent keeps no threads: it forgets each call, so there is no conversation to continue",
        errors=[{"pointer": "/thread_id", "detail": "must be left out for this agent"}],
        hint="Leave the thread out. A langgraph agent keeps threads when its graph has a checkpointer.",
    )


async def tell_end(stream: RunStream, end: End) -> None:
    if end.status == "cancelled":
        end.closing = [to_json(event) for event in stream.transcript.cancelled()]
    elif end.problem:
        events = stream.transcript.failed(end.problem.code, end.problem.detail)
        end.closing = [to_json(event) for event in events]
    await stream.end(end.closing)
    # The record keeps the output once.
    end.closing = []
