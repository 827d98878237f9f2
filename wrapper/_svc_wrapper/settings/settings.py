"""The wrapper's settings, all from the environment; every fault is reported at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..entry.entry import Entry, read_entry
from ..outgoing.dial import Dial
from .bounds import Bounds, default_bounds
from .own_secrets import OwnSecrets

FRAMEWORKS = ("langgraph", "crewai")


class SettingsError(Exception):
    """The environment has faults that prevent a start."""


@dataclass(frozen=True)
class Settings:
    framework: str
    agent_name: str
    agent_version: str
    revision: str
    host: str
    port: int
    # From deploy.concurrency; without it the container's memory decides.
    max_concurrency: int | None
    max_queue: int | None
    memory_bytes: int | None
    max_body_bytes: int
    shutdown_grace_seconds: float
    # How long a replica that its platform ends says so before it leaves. The service then sends it no more calls.
    leave_notice_seconds: float
    run_retention_seconds: float
    run_retention_count: int
    run_retention_bytes: int
    ingress_secret: str | None
    # None for a container that is called at its own address.
    dial: Dial | None
    # None for an agent outside the gateway.
    service_url: str | None
    gateway_key: str | None
    # True when the service keeps the threads and the store of a graph that has none that lasts.
    memory_by_service: bool
    # True when agent.yaml names prompts.
    has_prompts: bool
    # What a memory config says about the messages of a model call, as JSON.
    memory_messages: str | None
    # From deploy.tracing.
    traces: bool
    entry: Entry

    def bounds(self, *, is_async: bool) -> Bounds:
        default = default_bounds(is_async=is_async, memory_bytes=self.memory_bytes)
        return Bounds(
            self.max_concurrency if self.max_concurrency is not None else default.places,
            self.max_queue if self.max_queue is not None else default.queue,
        )


def read_settings(environ: Mapping[str, str], *, own: OwnSecrets, app_folder: Path) -> Settings:
    faults: list[str] = []

    def given(name: str, lowest: int) -> int | None:
        text = environ.get(name, "").strip()
        if not text:
            return None
        if not text.isascii() or not text.isdigit() or int(text) < lowest:
            faults.append(f"{name} must be a whole number of at least {lowest}, not {text!r}")
            return None
        return int(text)

    def number(name: str, default: int, lowest: int) -> int:
        value = given(name, lowest)
        return default if value is None else value

    framework = environ.get("SVC_FRAMEWORK", "").strip()
    if framework not in FRAMEWORKS:
        faults.append(f"SVC_FRAMEWORK must be one of {', '.join(FRAMEWORKS)}, not {framework!r}")

    dial_url = environ.get("SVC_DIAL_URL")
    if dial_url is not None and not own.join_token:
        faults.append("SVC_DIAL_URL needs a join token")
    dial = Dial(dial_url, own.join_token, environ.get("SVC_DIAL_CA")) if dial_url and own.join_token else None

    entry, entry_faults = read_entry(environ, app_folder)
    settings = Settings(
        framework=framework,
        agent_name=environ.get("SVC_AGENT_NAME", "agent"),
        agent_version=environ.get("SVC_AGENT_VERSION", "0.0.0"),
        revision=environ.get("SVC_REVISION", ""),
        # Callers use the container's address on the agents' network, so it listens on every interface.
        host=environ.get("SVC_HOST", "0.0.0.0"),  # noqa: S104
        port=number("SVC_PORT", 8080, 1),
        max_concurrency=given("SVC_MAX_CONCURRENCY", 1),
        max_queue=given("SVC_MAX_QUEUE", 0),
        memory_bytes=given("SVC_MEMORY_BYTES", 1),
        max_body_bytes=number("SVC_MAX_BODY_BYTES", 10 * 1024 * 1024, 1),
        # Below the ten seconds of container engines between SIGTERM and SIGKILL.
        shutdown_grace_seconds=number("SVC_SHUTDOWN_GRACE_SECONDS", 8, 0),
        leave_notice_seconds=number("SVC_LEAVE_NOTICE_SECONDS", 0, 0),
        run_retention_seconds=number("SVC_RUN_RETENTION_SECONDS", 3600, 1),
        run_retention_count=number("SVC_RUN_RETENTION_COUNT", 500, 1),
        run_retention_bytes=number("SVC_RUN_RETENTION_BYTES", 64 * 1024 * 1024, 1),
        ingress_secret=own.ingress_secret,
        dial=dial,
        service_url=environ.get("SVC_SERVICE_URL"),
        gateway_key=environ.get("SVC_GATEWAY_KEY"),
        memory_by_service=environ.get("SVC_MEMORY") == "service"
        and bool(environ.get("SVC_SERVICE_URL") and environ.get("SVC_GATEWAY_KEY")),
        has_prompts="SVC_PROMPTS_URL" in environ,
        memory_messages=environ.get("SVC_MEMORY_MESSAGES"),
        traces=environ.get("SVC_TRACES", "on") == "on",
        entry=entry,
    )
    faults += entry_faults
    if faults:
        raise SettingsError("; ".join(faults))
    return settings
