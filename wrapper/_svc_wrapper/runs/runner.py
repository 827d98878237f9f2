"""Executes a call: admitted, waiting, running on the user's loop, ended.

Every run has exactly one `End`: an answer, an exception of the user's code, a cancel, or the container's
shutdown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from .. import log
from ..agent import Agent, Answer, Call
from ..agent_error import agent_error
from ..encode import to_json
from ..problems import Problem
from ..stream.run_stream import RunStream, SideStream
from ..tracing.tracing import Tracing
from .admission import Admission
from .run_identity import in_run
from .runs import End, Run, Runs
from .user_loop import UserLoop

# A service that restarts is waited for.
CUT_OFF_SECONDS = 25.0
MOST_CLOSERS = 64
# A reader comes within milliseconds.
SIDE_SECONDS = 10


class AgentFailed(Exception):
    """An exception of the user's code, wrapped so that its type cannot be confused with ours."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Runner:
    """Used on the main loop. A run with a place goes to the user's loop and returns with its end."""

    def __init__(self, runs: Runs, admission: Admission, user_loop: UserLoop, tracing: Tracing) -> None:
        self.runs = runs
        self.admission = admission
        self.user_loop = user_loop
        self.tracing = tracing
        # A stop ends all runs at once.
        self.closers = ThreadPoolExecutor(max_workers=MOST_CLOSERS, thread_name_prefix="svc-closer")

    def start(self, agent: Agent, call: Call, stream: RunStream | None = None) -> Run:
        """Raises a Problem before the run starts. A returned run always ends."""
        agent.check(call)
        if call.names_thread and not agent.keeps_threads:
            raise threads_not_kept()
        run = Run(
            id=call.run_id,
            thread_id=call.thread_id if agent.keeps_threads else None,
            metadata=call.metadata,
            metadata_bytes=len(to_json(call.metadata)),
            leaves_thread=call.names_thread or agent.threads != "service",
            stream=stream,
            side=stream if isinstance(stream, SideStream) else None,
            identity=call.run,
        )
        call.run.thread_id = run.thread_id
        main_loop = asyncio.get_running_loop()

        def begin() -> None:
            run.start()
            if stream:
                stream.start()
            run.work = self.user_loop.start(work())

        async def work() -> None:
            with in_run(call.run), self.tracing.in_trace(call.run):
                end = await end_of(agent, call, run, stream)
            # Closed when the user's code has not ended in the grace of a stop.
            if not main_loop.is_closed():
                main_loop.call_soon_threadsafe(self._finish, run, end)

        self.runs.add(run, call.attempt)
        try:
            run.turn = self.admission.admit(call.caller_id, begin)
        except Problem:
            self.runs.remove(run)
            raise
        self.runs.admitted(run)
        return run

    async def cut_off(self, run: Run, status: str, *, within_seconds: float = CUT_OFF_SECONDS) -> None:
        """Ends a running run without the user's code. An ended run keeps its end.

        At once, except for what the run has written to its thread: this is sent before the end goes out.
        """
        work, close = run.work, run.identity.close_memory if run.identity else None
        end = run.cut_off = run.cut_off or cut_off_end(run, status)
        if work is not None and close is not None and run.end is None:
            work.cancel()
            end = run.cut_off = await self._stored(run, end, lambda: close(within_seconds))
        self._finish(run, end)
        if work:
            work.cancel()

    def leave(self, run: Run) -> None:
        """Its caller has left: a waiting run is dropped, and a running one continues."""
        if run.status == "queued":
            self._finish(run, cut_off_end(run, "cancelled"))

    async def _stored(self, run: Run, end: End, close: Callable[[], None]) -> End:
        try:
            await asyncio.get_running_loop().run_in_executor(self.closers, close)
        except Problem as problem:
            log.error(problem.code, problem, run_id=run.id)
            problem.fields.setdefault("run_id", run.id)
            # The caller of a run that the container's end interrupts learns enough from that.
            return End("failed", problem=problem) if end.status == "cancelled" else end
        except Exception as error:
            # The run ends in any case.
            log.error("internal", error, run_id=run.id)
        return end

    def _finish(self, run: Run, end: End) -> None:
        """The first end counts, because the user's code can return after a cancel."""
        if run.end or (run.cut_off and run.cut_off is not end):
            return
        self.runs.finish(run, end)
        if run.stream:
            run.telling = asyncio.create_task(self._tell_end(run, run.stream, end))
        else:
            self._settle(run)
        # The only log line of a call.
        log.info("run_ended", run_id=run.id, status=end.status, seconds=round(time.time() - run.created_at, 3))

    async def _tell_end(self, run: Run, stream: RunStream, end: End) -> None:
        try:
            await tell_end(stream, end)
        finally:
            self._settle(run)

    def _settle(self, run: Run) -> None:
        if run.turn:
            self.admission.leave(run.turn)
        # The record is kept longer than the call.
        run.turn = run.work = run.stream = run.telling = run.identity = None
        if run.side:
            asyncio.get_running_loop().call_later(SIDE_SECONDS, run.take_side)


async def end_of(agent: Agent, call: Call, run: Run, stream: RunStream | None) -> End:
    """Runs on the user's loop."""
    try:
        return await answer_of(agent, call, stream)
    except asyncio.CancelledError as error:
        # The user's code cancelled its own task: after a cancel of ours the run already has its end.
        return End("failed", problem=agent_error(run.id, error))
    except Problem as problem:
        problem.fields.setdefault("run_id", run.id)
        return End("failed", problem=problem)
    except AgentFailed as failure:
        problem = agent_error(run.id, failure.cause)
        if run.end is None:
            log.error(problem.code, failure.cause, run_id=run.id)
        return End("failed", problem=problem)
    except Exception as error:
        log.error("internal", error, run_id=run.id)
        return End("failed", problem=Problem("internal", "the wrapper itself failed", run_id=run.id))


async def answer_of(agent: Agent, call: Call, stream: RunStream | None) -> End:
    """Also makes the JSON, because a large result must not block the main loop."""
    try:
        answer: Answer = await agent.run(call, stream)
    except (asyncio.CancelledError, Problem):
        raise
    except BaseException as error:  # also SystemExit: sys.exit() ends only this run
        raise AgentFailed(error) from error
    status = "interrupted" if answer.interrupts else "completed"
    interrupts = to_json(answer.interrupts) if answer.interrupts else None
    closing = stream.finished(answer) if stream else []
    encoded = [to_json(event) for event in closing]
    return End(status, to_json(answer.output), interrupts, continued_at=answer.continued_at, closing=encoded)


def cut_off_end(run: Run, status: str) -> End:
    if status == "interrupted":
        has_begun = run.started_at is not None
        code, run_status = ("run_interrupted", "interrupted") if has_begun else ("draining", "not_begun")
        sentence = f"the container stopped before the run {'ended' if has_begun else 'began'}"
        return End("interrupted", problem=Problem(code, sentence, run_id=run.id, run_status=run_status))
    sentence = "the run was cancelled"
    return End("cancelled", problem=Problem("run_cancelled", sentence, run_id=run.id, run_status="cancelled"))


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
