"""The event loop of the user's code, in a worker thread, with its own thread pool.

Blocking user code can block other runs, but never the server's answers on the main loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .. import log

# Parallel nodes and threads of cancelled runs need more than one thread per run. Threads start on demand.
SPARE_THREADS = 32


class Work:
    """A coroutine on the loop of another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, None]) -> None:
        self.loop = loop
        self.coroutine = coroutine
        self.task: asyncio.Task[None] | None = None
        loop.call_soon_threadsafe(self._begin)

    def cancel(self) -> None:
        """The loop processes calls in order, so the coroutine has begun by then."""
        self.loop.call_soon_threadsafe(self._cancel)

    def _begin(self) -> None:
        # Kept, because a loop has only weak references to its tasks.
        self.task = self.loop.create_task(self.coroutine)

    def _cancel(self) -> None:
        if self.task:
            self.task.cancel()


class UserLoop:
    def __init__(self, places: int) -> None:
        self.loop = asyncio.new_event_loop()
        # asyncio's own pool has cores + 4 threads: six synchronous nodes would block all other calls.
        self.loop.set_default_executor(
            ThreadPoolExecutor(max_workers=places + SPARE_THREADS, thread_name_prefix="svc-user")
        )
        self.thread = threading.Thread(target=self._turn, name="svc-user-loop", daemon=True)
        self.thread.start()

    def start(self, work: Coroutine[Any, Any, None]) -> Work:
        """From another thread. The work reports its own end, because chained futures would cost more."""
        return Work(self.loop, work)

    def import_in_thread(self, work: Callable[[], None]) -> None:
        """A daemon thread, because an import that hangs must not prevent the process's end.

        It gets a loop that does not run yet, as in the main thread of a script. Module level code can call
        get_event_loop().run_until_complete(...).
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
                # asyncio raises these two out of the loop, but sys.exit() in a node must not stop the other runs.
                log.warning("user_code_called_exit", error=repr(error))
