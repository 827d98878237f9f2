"""Waits for the service off the loop. The pool of the user's loop can be full of work that waits itself."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

waiting = ThreadPoolExecutor(max_workers=64, thread_name_prefix="svc-memory")


async def in_thread(work: Callable[[], T]) -> T:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(waiting, context.run, work)
