"""The event loop that the user's code runs on: its own, in a worker thread, with its own thread pool.

Code of a user that blocks its loop blocks other runs at worst, never the server's answers on the main loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import log

# Parallel nodes of one graph and threads that outlive a cancelled run need more than a thread a run. A thread is
# started when it is needed.
SPARE_THREADS = 32


class Work:
    """A coroutine that was handed to a loop of another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, None]) -> None:
        self.loop = loop
        self.coroutine = coroutine
        self.task: asyncio.Task[None] | None = None
        loop.call_soon_threadsafe(self._begin)

    def cancel(self) -> None:
        """The loop takes calls in their order: it has begun by then."""
        self.loop.call_soon_threadsafe(self._cancel)

    def _begin(self) -> None:
        # Kept, because a loop holds its tasks weakly.
        self.task = self.loop.create_task(self.coroutine)

    def _cancel(self) -> None:
        if self.task:
            self.task.cancel()


class UserLoop:
    def __init__(self, places: int) -> None:
        self.loop = asyncio.new_event_loop()
        # asyncio's own pool has cores + 4 threads: six synchronous nodes would stop everyone else.
        self.loop.set_default_executor(
            ThreadPoolExecutor(max_workers=places + SPARE_THREADS, thread_name_prefix="svc-user")
        )
        self.thread = threading.Thread(target=self._turn, name="svc-user-loop", daemon=True)
        self.thread.start()

    def start(self, work: Coroutine[Any, Any, None]) -> Work:
        """From another thread. The work tells itself how it ended: chained futures would cost more than the hop."""
        return Work(self.loop, work)

    def import_in_thread(self, work: Callable[[], None]) -> None:
        """A daemon thread: an import that hangs must not keep the process from ending.

        It gets a loop that is not running, as the main thread of a script has one: module level code
        may say get_event_loop().run_until_complete(...).
        """

        def start() -> None:
            asyncio.set_event_loop(asyncio.new_event_loop())
            work()

        threading.Thread(target=start, name="svc-import", daemon=True).start()

    def _turn(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
                return
            except (SystemExit, KeyboardInterrupt) as error:
                # asyncio lets these two out of the loop; sys.exit() in a node must not stop the other runs.
                log.warning("user_code_called_exit", error=repr(error))
