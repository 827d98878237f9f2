"""The server's state: starting → ready or failed, and draining from either.

`/health` reports it at any time. The service starts draining with `POST /drain`, which needs the ingress secret.
SIGTERM starts it too, before the end. So does SIGUSR1, for a service that is older than the route.
"""

from __future__ import annotations

import asyncio
import time

from .. import log
from ..agent import Agent
from ..entry.loader import LoadFailure, load_agent
from ..langgraph.narrow.install import install as install_narrowing
from ..memory.door import Door
from ..problems import Problem
from ..prompt_files import write_prompt_files
from ..runs.admission import Admission
from ..settings.settings import Settings
from ..tracing.tracing import Tracing


class Lifecycle:
    def __init__(self, settings: Settings, admission: Admission, tracing: Tracing) -> None:
        self.settings = settings
        self.admission = admission
        self.tracing = tracing
        self.began = time.monotonic()
        self.agent: Agent | None = None
        self.failure: LoadFailure | None = None
        self.draining = False

    @property
    def status(self) -> str:
        if self.draining:
            return "draining"
        if self.failure:
            return "failed"
        return "ready" if self.agent else "starting"

    @property
    def uptime_seconds(self) -> float:
        return round(time.monotonic() - self.began, 3)

    def load(self, user_loop: asyncio.AbstractEventLoop) -> None:
        """Off the main thread. During a load that hangs the state stays `starting`, until the deploy's deadline
        ends it.
        """
        install_narrowing(self.settings)
        loaded = self._write_prompts() or load_agent(
            self.settings.framework, self.settings.entry, user_loop, self._door()
        )
        self.tracing.instrument()
        seconds = self.uptime_seconds
        if isinstance(loaded, LoadFailure):
            self.failure = loaded
            log.load_failed(loaded.code, loaded.message, loaded.traceback or "")
        else:
            loaded.notices = [*loaded.notices, *self.tracing.notices]
            # Off the main loop: it admits no call without an agent.
            bounds = self.admission.bounds = self.settings.bounds(is_async=loaded.is_async)
            self.agent = loaded
            room = {"concurrency": bounds.places, "queue": bounds.queue}
            log.info("agent_ready", export=loaded.export, kind=loaded.kind, seconds=seconds, **room)
            for notice in loaded.notices:
                log.warning("notice", message=notice)

    def _write_prompts(self) -> LoadFailure | None:
        url, key = self.settings.service_url, self.settings.gateway_key
        return write_prompt_files(Door(url, key)) if self.settings.has_prompts and url and key else None

    def _door(self) -> Door | None:
        url, key = self.settings.service_url, self.settings.gateway_key
        return Door(url, key) if self.settings.memory_by_service and url and key else None

    def drain(self) -> None:
        if not self.draining:
            self.draining = True
            log.info("draining")

    def accept(self) -> Agent:
        """The agent; refuses while no new run may start."""
        if self.draining:
            raise Problem("draining", "this container takes no new runs", retry_after_seconds=1)
        if self.failure:
            raise Problem("agent_not_loaded", self.failure.message, reason=self.failure.code)
        if self.agent is None:
            raise Problem("agent_not_ready", "the agent is still starting", retry_after_seconds=1)
        return self.agent
