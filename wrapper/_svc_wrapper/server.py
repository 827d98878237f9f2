"""The routes. Everything behind them lives on its own: state in Lifecycle, runs in Runner."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response, StreamingResponse

from . import log
from .agent import Call
from .guard import Guard
from .ingress_identity import PROOF_HEADER, prove_identity
from .invoke_request import read_invoke
from .lifecycle import Lifecycle
from .problems import Problem
from .replies import invoke_reply, json_reply, run_reply
from .run_stream import RunStream
from .runner import Runner
from .settings import Settings

# Keeps proxies from taking a run that thinks for a dead connection.
KEEPALIVE_SECONDS = 15
# How long a cancel waits for the run to end before it answers that it still goes on.
CANCEL_WAIT_SECONDS = 2
MAX_WAIT_SECONDS = 60


def make_server(settings: Settings, lifecycle: Lifecycle, runner: Runner) -> Guard:
    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        runner.user_loop.import_in_thread(lambda: lifecycle.load(runner.user_loop.loop))
        yield

    # No generated documentation: the contract is the service's, and a container shows nothing unasked.
    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    @app.get("/health")
    async def health() -> JSONResponse:
        """Answers as soon as the process listens, whatever the agent does."""
        return JSONResponse(
            {
                "status": lifecycle.status,
                "agent": settings.agent_name,
                "version": settings.agent_version,
                "revision": settings.revision,
                "uptime_seconds": lifecycle.uptime_seconds,
                "in_flight": runner.admission.admitted,
            }
        )

    @app.get("/ready")
    async def ready() -> Response:
        agent = lifecycle.agent
        if agent is None or lifecycle.draining:
            reason = {"code": lifecycle.status, "message": f"the agent is {lifecycle.status}"}
            if lifecycle.failure:
                reason = lifecycle.failure.body()
            return json_reply({"status": lifecycle.status, "reason": reason}, {}, 503)
        return json_reply(
            {
                "status": "ready",
                "framework": settings.framework,
                "export": agent.export,
                "kind": agent.kind,
                "keeps_threads": agent.keeps_threads,
                "threads": agent.threads,
                "input_schema": agent.input_schema,
                "context_schema": agent.context_schema,
                "notices": agent.notices,
            },
            {},
        )

    @app.get("/identity")
    async def identity(request: Request) -> Response:
        """Without a body: the ingress reads it off a connection that is not yet its HTTP client's."""
        proof = prove_identity(request.headers, secret=settings.ingress_secret)
        return Response(status_code=204, headers={PROOF_HEADER: proof})

    @app.post("/invoke")
    async def invoke(request: Request) -> Response:
        call, wants_stream = await read_invoke(request, settings)
        if wants_stream:
            return start_stream(call)
        run = runner.start(lifecycle.accept(), call)
        # A caller that hangs up does not end the run: the ingress may come back and ask for it.
        await runner.ended(run)
        assert run.end is not None  # noqa: S101 - `ended` without a timeout returns when there is one
        return invoke_reply(run, run.end)

    @app.post("/stream")
    async def stream(request: Request) -> Response:
        call, _ = await read_invoke(request, settings)
        return start_stream(call)

    @app.get("/runs/{run_id}")
    async def show_run(run_id: str, request: Request) -> Response:
        """With `?wait_seconds=` it answers when the run ends, or when that time is over."""
        run = runner.runs.find(run_id)
        wait_seconds = read_wait_seconds(request)
        if wait_seconds and run.end is None:
            await runner.ended(run, wait_seconds)
        return run_reply(run)

    @app.get("/runs/{run_id}/answer")
    async def answer_of_run(run_id: str, request: Request) -> Response:
        """What POST /invoke answered, or would have: byte for byte. 202 while the run goes on."""
        run = runner.runs.find(run_id)
        if not await runner.ended(run, read_wait_seconds(request)) or run.end is None:
            return run_reply(run, status_code=202)
        return invoke_reply(run, run.end)

    @app.post("/runs/{run_id}/cancel")
    async def cancel_run(run_id: str) -> Response:
        """202 with the run as it is then: a thread of the user's code cannot be stopped by force."""
        run = runner.runs.find(run_id)
        run.cut_off("cancelled")
        await runner.ended(run, CANCEL_WAIT_SECONDS)
        return run_reply(run, status_code=202)

    @app.post("/runs/{run_id}/leave")
    async def leave_run(run_id: str) -> Response:
        """From the ingress, when a caller hung up that was not told the run's id: nobody will ask for the answer."""
        run = runner.runs.find(run_id)
        run.leave()
        return run_reply(run, status_code=202)

    def start_stream(call: Call) -> Response:
        stream = RunStream(call.run_id, call.thread_id)
        run = runner.start(lifecycle.accept(), call, stream)

        async def body() -> AsyncIterator[bytes]:
            try:
                async for event in stream.channel.events(idle_seconds=KEEPALIVE_SECONDS):
                    yield b": keepalive\n\n" if event is None else b"data: " + event + b"\n\n"
            finally:
                # Also reached when the reader hangs up: nobody else will read this run's events.
                stream.channel.close()
                run.cut_off("cancelled")

        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Svc-Run-Id": call.run_id}
        return StreamingResponse(body(), media_type="text/event-stream", headers=headers)

    @app.exception_handler(Problem)
    async def refused(_: Request, problem: Problem) -> Response:
        return problem.response()

    @app.exception_handler(HTTPException)
    async def refused_by_framework(_: Request, error: HTTPException) -> Response:
        codes = {404: "not_found", 405: "method_not_allowed"}
        return Problem(codes.get(error.status_code, "malformed_json"), str(error.detail)).response()

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        log.error("internal", error)
        return Problem("internal", "the wrapper itself failed; its log has the reason").response()

    return Guard(app, ingress_secret=settings.ingress_secret, max_body_bytes=settings.max_body_bytes)


def read_wait_seconds(request: Request) -> float:
    text = request.query_params.get("wait_seconds", "0")
    if not text.isascii() or not text.isdigit() or int(text) > MAX_WAIT_SECONDS:
        raise Problem("invalid_request", f"wait_seconds must be a whole number from 0 to {MAX_WAIT_SECONDS}")
    return int(text)
