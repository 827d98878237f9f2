"""The wrapper as in a container: a separate process, with the agent's folder as working directory."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

WRAPPER_FOLDER = Path(__file__).parent.parent
AGENTS = Path(__file__).parent / "agents"
EXAMPLES = WRAPPER_FOLDER.parent / "examples"
START_SECONDS = 60


class WrapperProcess:
    """A context manager: it listens after the entry and ends with the exit."""

    def __init__(self, folder: Path, framework: str = "langgraph", **environment: str) -> None:
        """`PYTHONPATH` in the environment replaces the wrapper of this tree."""
        self.secret = environment.get("SVC_INGRESS_SECRET", "")
        self.port = free_port()
        self.log_file = Path(os.environ["WRAPPER_LOGS"]) / f"{self.port}.log"
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)
        scratch = self.log_file.parent / "home"
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(WRAPPER_FOLDER),
            "HOME": str(scratch),
            "CREWAI_STORAGE_DIR": str(scratch / "crewai"),
            "SVC_FRAMEWORK": framework,
            "SVC_PORT": str(self.port),
            "SVC_HOST": "127.0.0.1",
            "SVC_SECRETS_FOLDER": str(scratch / "no-secrets"),
            **environment,
        }
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "_svc_wrapper"], cwd=folder, env=environ, stdout=log, stderr=log
            )

    def __enter__(self) -> WrapperProcess:
        self.wait_until(self.listens)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.client.close()

    def listens(self) -> bool:
        assert self.process.poll() is None, self.log()
        try:
            return self.client.get("/health").status_code == 200
        except httpx.TransportError:
            return False

    def ready(self) -> WrapperProcess:
        self.wait_until(lambda: self.health()["status"] != "starting")
        assert self.health()["status"] == "ready", self.log()
        return self

    def wait_until(self, holds: Any, seconds: float = START_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"not within {seconds} s; log:\n{self.log()}"
            time.sleep(0.02)

    def health(self) -> dict[str, Any]:
        """As the service asks, so with the load."""
        return self.client.get("/health", headers={"X-Svc-Ingress-Secret": self.secret}).json()

    def invoke(self, body: dict[str, Any], **headers: str) -> httpx.Response:
        return self.client.post("/invoke", json=body, headers=headers)

    def ask(self, **fields: Any) -> dict[str, Any]:
        """Invokes with these input fields and expects success."""
        response = self.invoke({"input": fields})
        assert response.status_code == 200, response.text
        return response.json()

    def stream(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        with self.client.stream("POST", "/stream", json=body) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"].startswith("text/event-stream")
            return list(events_of(response))

    def send_signal(self, which: signal.Signals) -> None:
        self.process.send_signal(which)

    def exit_code(self, seconds: float = 20) -> int:
        return self.process.wait(seconds)

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")


def events_of(response: httpx.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
