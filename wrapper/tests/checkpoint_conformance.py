"""langgraph's conformance kit for savers, against a door: `python checkpoint_conformance.py <url> <key> <run token>`.

The run must be open. The kit names threads of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from typing import Any

from langgraph.checkpoint.conformance import checkpointer_test, validate

from _svc_wrapper.langgraph.kept.saver import ServiceSaver
from _svc_wrapper.langgraph.kept.state_types import serializer
from _svc_wrapper.memory.door import Door
from _svc_wrapper.memory.run_memory import RunMemory, in_memory_of


async def conformance(url: str, key: str, token: str) -> Any:
    """The kit's report, of all its capabilities."""

    @checkpointer_test(name="the saver of the service")
    async def factory() -> AsyncGenerator[ServiceSaver, None]:
        yield ServiceSaver(serde=serializer(), visible=frozenset())

    run = RunMemory(Door(url, key), token=token, thread_id="thread-of-the-kit")
    with in_memory_of(run):
        report = await validate(factory)
        await asyncio.to_thread(run.close, [])
    return report


if __name__ == "__main__":
    told = asyncio.run(conformance(*sys.argv[1:4]))
    told.print_report()
    sys.exit(0 if told.conformance_level() == "FULL" and len(told.results) == 8 else 1)
