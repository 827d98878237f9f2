"""The process: signals, the server on the main loop, and an end in bounded time.

SIGUSR1 drains: new runs are refused, and current ones continue. SIGTERM drains too, waits for the runs during a
grace, and ends the rest as `interrupted`. After their replies it stops listening. uvicorn alone would refuse
connections at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import signal
import threading
from types import FrameType

import uvicorn

from .. import log
from ..http.server import make_server
from ..outgoing.dial import Dialler
from ..outgoing.http_clients import name_runs
from ..outgoing.run_headers import Origin, Service
from ..runs.admission import Admission
from ..runs.runner import Runner
from ..runs.runs import Runs
from ..runs.user_loop import UserLoop
from ..settings.settings import Settings
from ..tracing.tracing import Tracing
from .lifecycle import Lifecycle

# For open replies when the last run has ended.
FLUSH_SECONDS = 2
# For what the interrupted runs have written to their threads. The engine's own patience ends soon.
STORE_SECONDS = 1.5
# At its end Python waits for all threads, even for a synchronous node that sleeps for an hour.
EXIT_SECONDS = 2


def serve(settings: Settings) -> None:
    if settings.service_url:
        name_runs(Service(Origin.of_url(settings.service_url), settings.gateway_key))
    admission = Admission(settings.bounds(is_async=False))
    tracing = Tracing(settings)
    lifecycle = Lifecycle(settings, admission, tracing)
    runs = Runs(
        keep_seconds=settings.run_retention_seconds,
        keep_count=settings.run_retention_count,
        keep_bytes=settings.run_retention_bytes,
    )
    # An async graph can have sync tools.
    user_loop = UserLoop(settings.bounds(is_async=True).places)
    runner = Runner(runs, admission, user_loop, tracing)
    # Its default action would end the process, so its handler is set first.
    signal.signal(signal.SIGUSR1, lambda *_: lifecycle.drain())

    log.route_server_logs()
    where = {"port": settings.port} if settings.dial is None else {"door": settings.dial.url}
    log.info("listening", **where, agent=settings.agent_name, revision=settings.revision)
    config = uvicorn.Config(
        make_server(settings, lifecycle, runner),
        host=settings.host,
        port=settings.port,
        workers=1,
        access_log=False,
        lifespan="off",
        proxy_headers=False,
        log_config=None,
        server_header=False,
        # No route takes websockets.
        ws="none",
    )
    # With a list of no sockets uvicorn opens no port.
    GracefulServer(config, settings, lifecycle, runner).run(None if settings.dial is None else [])
    tracing.close()
    end_process_soon()


class GracefulServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, settings: Settings, lifecycle: Lifecycle, runner: Runner) -> None:
        super().__init__(config)
        self.settings = settings
        self.lifecycle = lifecycle
        self.runner = runner
        self.stopping: asyncio.Task[None] | None = None
        self.serving_loop: asyncio.AbstractEventLoop | None = None
        self.dialler: Dialler | None = None

    async def startup(self, sockets: list[object] | None = None) -> None:
        self.serving_loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.settings.dial is not None:
            self.dialler = Dialler(
                self.settings.dial, self._make_protocol, self._places, lambda: self.lifecycle.draining
            )
        user_loop = self.runner.user_loop
        user_loop.import_in_thread(lambda: self.lifecycle.load(user_loop.loop))

    def _make_protocol(self) -> asyncio.Protocol:
        """As uvicorn makes it for a connection that it accepts. Versions differ in the parameters."""
        made = self.config.http_protocol_class
        given = {
            "config": self.config,
            "server_state": self.server_state,
            "app_state": getattr(self.lifespan, "state", {}),
        }
        known = inspect.signature(made.__init__).parameters
        return made(**{name: value for name, value in given.items() if name in known})

    def _places(self) -> int:
        """Of this moment: the bounds are known once the agent is loaded."""
        bounds = self.runner.admission.bounds
        return bounds.places + bounds.queue

    async def shutdown(self, sockets: list[object] | None = None) -> None:
        if self.dialler is not None:
            await self.dialler.stop()
        # A reader may never take its reply. uvicorn has a setting for this only since 0.22.
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(super().shutdown(sockets), FLUSH_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal. A second SIGTERM changes nothing; a second Ctrl-C ends the process at once."""
        if self.serving_loop is None or (sig == signal.SIGINT and self.stopping):
            super().handle_exit(sig, frame)
            return
        self.serving_loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        if self.stopping is None:
            self.stopping = asyncio.get_running_loop().create_task(self._finish())

    async def _finish(self) -> None:
        notice_seconds = 0 if self.lifecycle.draining else self.settings.leave_notice_seconds
        self.lifecycle.drain()
        await asyncio.gather(self._end_of_runs(self.settings.shutdown_grace_seconds), asyncio.sleep(notice_seconds))
        # The waiting ones first, because each end of a running one would let a waiting one begin.
        unfinished = sorted(self.runner.runs.going_on.values(), key=lambda run: run.started_at is not None)
        ends = (self.runner.cut_off(run, "interrupted", within_seconds=STORE_SECONDS) for run in unfinished)
        await asyncio.gather(*ends)
        if unfinished:
            log.warning("runs_interrupted", run_ids=[run.id for run in unfinished])
        self.should_exit = True

    async def _end_of_runs(self, timeout_seconds: float) -> None:
        ends = [asyncio.create_task(run.wait()) for run in self.runner.runs.going_on.values()]
        if ends:
            await asyncio.wait(ends, timeout=timeout_seconds)


def end_process_soon() -> None:
    """Runs the user's exit functions, with a deadline."""
    last_resort = threading.Timer(EXIT_SECONDS, os._exit, (0,))
    last_resort.daemon = True
    last_resort.start()
    log.info("stopped")
