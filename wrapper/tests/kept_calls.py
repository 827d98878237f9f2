"""Calls of an agent whose threads the service keeps, as the ingress sends them."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from memory_door import KEY, MemoryDoor
from wrapper_process import AGENTS, WrapperProcess

STEPS = ["first", "second", "third"]


def kept_process(door: MemoryDoor, folder: Path = AGENTS / "kept_graph", **environment: str) -> WrapperProcess:
    by_service = {"SVC_MEMORY": "service", "SVC_SERVICE_URL": door.url, "SVC_GATEWAY_KEY": KEY, "SVC_TRACES": "off"}
    return WrapperProcess(folder, **{**by_service, **environment})


def headers_of(door: MemoryDoor, thread: str | None, run_id: str, caller: str = "ada") -> dict[str, str]:
    token = door.open_run(thread, caller=caller, run_id=run_id)
    named = {} if thread is None else {"X-Svc-Thread": quote(thread, safe="")}
    return {"X-Svc-Run": token, "X-Svc-Run-Id": run_id, **named}


def call(door: MemoryDoor, wrapper: WrapperProcess, body: dict[str, Any], thread: str | None = None) -> httpx.Response:
    named = {} if thread is None else {"thread_id": thread}
    return wrapper.invoke({**body, **named}, **headers_of(door, thread, str(uuid.uuid4())))


def say(door: MemoryDoor, wrapper: WrapperProcess, do: str, thread: str | None = None, **fields: Any) -> dict[str, Any]:
    """Expects success."""
    response = call(door, wrapper, {"input": {"do": do, **fields}}, thread)
    assert response.status_code == 200, response.text
    return response.json()
