"""The work of one call in the memory of its run. Everything is stored before its answer goes out."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

from .. import log
from ..agent import Answer, Call, JsonObject
from ..problems import AnswerRefused, Problem
from .in_thread import in_thread
from .run_memory import RunMemory, in_memory_of

# The answer, and the steps that come next when the run's own states did not say them.
Work = Callable[[], Awaitable[tuple[Answer, "list[str] | None"]]]


async def run_to_end(call: Call, run: RunMemory, work: Work) -> Answer:
    call.run.close_memory = run.close_at_cut_off
    with in_memory_of(run):
        try:
            answer, next_nodes = await work()
        except BaseException as error:
            await close_failed(run, error)
            raise
        await close(run, answer.interrupts, next_nodes)
    return answer


async def close(run: RunMemory, interrupts: list[JsonObject], next_nodes: list[str] | None) -> None:
    if run.has_written or interrupts:
        await in_thread(lambda: run.close(interrupts, next_nodes))
    else:
        run.outbox.close()


async def close_failed(run: RunMemory, error: BaseException) -> None:
    """What is stored until now stays. A thread that is not stored is the worse news."""
    if isinstance(error, Problem) and error.code == "thread_not_stored":
        with contextlib.suppress(Problem):
            await close(run, [], None)
        return
    try:
        await close(run, error.interrupts if isinstance(error, AnswerRefused) else [], None)
    except Problem as problem:
        log.error("agent_error", error)
        raise problem from error
