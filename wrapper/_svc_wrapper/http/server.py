"""The routes. The state is in Lifecycle, the runs are in Runner."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from .. import log
from ..agent import Call, JsonObject
from ..problems import Problem
from ..process.cpu_time import read_cpu_seconds
from ..process.lifecycle import Lifecycle
from ..runs.replies import invoke_reply, json_reply, run_reply
from ..runs.runner import Runner
from ..runs.runs import Run
from ..settings.settings import Settings
from ..stream.run_stream import RunStream, SideStream
from .guard import Guard
from .ingress_identity import PROOF_HEADER, prove_identity
from .invoke_request import read_invoke, wants_side_stream, whole_number
from .reply import EventReply, Reply, Send
from .request import Message, Receive, Request

# Without it proxies would close the connection of a silent run.
KEEPALIVE_SECONDS = 15
MAX_WAIT_SECONDS = 60
MAX_DEPTH = 50
# On every reply: which start of the container has answered. On a call: the only start that may begin it.
START_HEADER = "X-Svc-Start"
RUN_PATH = re.compile(r"/runs/[^/]+")

AnyReply = Reply | EventReply
App = Callable[[Message, Receive, Send], Awaitable[None]]
Handler = Callable[[Request], Awaitable[AnyReply]]
# By path, then by method; `*` is the id of a run.
Routes = Mapping[str, Mapping[str, Handler]]


def make_server(settings: Settings, lifecycle: Lifecycle, runner: Runner) -> App:
    """Plain ASGI. The user's environment need not have a web framework, and its layers would cost a tenth of a call."""

    start_id = str(uuid.uuid4())
    # The loop has only weak references to its tasks.
    cut_offs: set[asyncio.Future[None]] = set()

    async def health(request: Request) -> Reply:
        """Answers from the start of the process on, independently of the agent. Only the service learns the load."""
        body = {
            "status": lifecycle.status,
            "agent": settings.agent_name,
            "version": settings.agent_version,
            "revision": settings.revision,
            "uptime_seconds": lifecycle.uptime_seconds,
        }
        return json_reply({**body, **load()} if guard.is_from_service(request) else body, {})

    def load() -> JsonObject:
        cpu_seconds = read_cpu_seconds()
        return {
            "in_flight": runner.admission.admitted,
            "calls": runner.admission.calls,
            "concurrency": runner.admission.bounds.places,
            **({} if cpu_seconds is None else {"cpu_seconds": cpu_seconds}),
        }

    async def drain(_: Request) -> Reply:
        """From now on the container takes no new runs. A second call changes nothing."""
        lifecycle.drain()
        return json_reply({"status": lifecycle.status}, {}, 202)

    async def ready(_: Request) -> Reply:
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
                "threads_by": agent.threads_by and f"{agent.threads_by} in {settings.entry.file}",
                "input_schema": agent.input_schema,
                "required_fields": agent.required_fields,
                "memory": agent.memory,
                "context_schema": agent.context_schema,
                "notices": agent.notices,
            },
            {},
        )

    async def graph(request: Request) -> Reply:
        """With `?xray=` as a depth, or `all`: nested graphs are drawn too."""
        asked = request.query_value("xray", "0")
        depth = True if asked == "all" else whole_number(asked, "xray", MAX_DEPTH)
        return await graph_reply(lambda: lifecycle.accept().picture(depth))

    async def subgraphs(request: Request) -> Reply:
        namespace = request.query_value("namespace", "") or None
        recurse = request.query_value("recurse", "0") == "1"
        return await graph_reply(lambda: lifecycle.accept().subgraphs(namespace, recurse=recurse))

    async def identity(request: Request) -> Reply:
        """Without a body, because the ingress reads it before the connection goes to its HTTP client."""
        proof = prove_identity(request.headers, secret=settings.ingress_secret)
        return Reply(204, {PROOF_HEADER: proof})

    async def invoke(request: Request) -> AnyReply:
        check_start(request)
        call, wants_stream = await read_invoke(request, settings, threads_by_service)
        if wants_stream:
            return start_stream(call)
        side = SideStream(call.run_id, call.thread_id) if wants_side_stream(request) else None
        run = runner.start(lifecycle.accept(), call, side)
        # A disconnected caller does not end the run, because the ingress can ask for it again.
        await run.wait()
        return invoke_reply(run)

    async def stream(request: Request) -> EventReply:
        check_start(request)
        call, _ = await read_invoke(request, settings, threads_by_service)
        return start_stream(call)

    async def show_run(request: Request) -> Reply:
        """With `?wait_seconds=` it answers at the end of the run or of that time."""
        run = find_run(request)
        await run.wait(read_wait_seconds(request))
        return run_reply(run)

    async def answer_of_run(request: Request) -> Reply:
        """The answer of POST /invoke, byte for byte. 202 during the run."""
        run = find_run(request)
        await run.wait(read_wait_seconds(request))
        return invoke_reply(run)

    async def events_of_run(request: Request) -> EventReply:
        """What a run of POST /invoke says, from its first event on, for one reader. Its leave does not end the run."""
        run = find_run(request)
        side = run.take_side()
        if side is None:
            raise Problem("run_not_found", f"run {run.id} has no events for this reader", run_id=run.id)
        return event_stream(run.id, side, side.channel.close)

    async def cancel_run(request: Request) -> Reply:
        """202 with the current run, because a thread of the user's code cannot be stopped by force."""
        run = find_run(request)
        await runner.cut_off(run, "cancelled")
        return run_reply(run, status_code=202)

    async def leave_run(request: Request) -> Reply:
        """From the ingress, when a caller disconnects without the run's id, so that nobody can ask for the
        answer.
        """
        run = find_run(request)
        runner.leave(run)
        return run_reply(run, status_code=202)

    async def refuse_run(request: Request) -> Reply:
        """From an ingress that goes on with the call of another one, before it sends that again or gives it up. The
        other one's sending may still be on its way.
        """
        try:
            run_id = str(uuid.UUID(run_id_in(request)))
        except ValueError:
            raise Problem("invalid_run_id", "the id of a run is a UUID") from None
        number = whole_number(request.query_value("attempt", ""), "attempt")
        seconds = whole_number(request.query_value("stored_seconds_ago", ""), "stored_seconds_ago")
        runner.runs.refuse(run_id, number, seconds)
        return json_reply({"run_id": run_id, "status": "refused"}, {})

    def threads_by_service() -> bool:
        return lifecycle.agent is not None and lifecycle.agent.threads == "service"

    def find_run(request: Request) -> Run:
        return runner.runs.find(run_id_in(request))

    def check_start(request: Request) -> None:
        if request.headers.find(START_HEADER) not in (None, start_id):
            raise Problem("other_start", "this container has restarted since the service looked at it")

    def start_stream(call: Call) -> EventReply:
        stream = RunStream(call.run_id, call.thread_id)
        run = runner.start(lifecycle.accept(), call, stream)

        def leave() -> None:
            # This run has no other reader.
            stream.channel.close()
            cut_offs.add(task := asyncio.ensure_future(runner.cut_off(run, "cancelled")))
            task.add_done_callback(cut_offs.discard)

        return event_stream(run.id, stream, leave)

    guard = Guard(settings.ingress_secret)
    routes: Routes = {
        "/health": {"GET": health},
        "/ready": {"GET": ready},
        "/graph": {"GET": graph},
        "/subgraphs": {"GET": subgraphs},
        "/identity": {"GET": identity},
        "/drain": {"POST": drain},
        "/invoke": {"POST": invoke},
        "/stream": {"POST": stream},
        "/runs/*": {"GET": show_run},
        "/runs/*/answer": {"GET": answer_of_run},
        "/runs/*/events": {"GET": events_of_run},
        "/runs/*/cancel": {"POST": cancel_run},
        "/runs/*/leave": {"POST": leave_run},
        "/runs/*/refuse": {"POST": refuse_run},
    }

    async def reply_to(request: Request) -> AnyReply:
        try:
            guard.check(request)
            return await find_handler(routes, request)(request)
        except Problem as problem:
            return problem.reply(has_begun=False)
        except Exception as error:
            log.error("internal", error)
            return Problem("internal", "the wrapper itself failed; its log has the reason").reply()

    start_header = (START_HEADER.lower().encode(), start_id.encode())

    async def serve(scope: Message, receive: Receive, send: Send) -> None:
        reply = await reply_to(Request(scope, receive))
        reply.headers.append(start_header)
        await reply.send(receive, send)

    return serve


def event_stream(run_id: str, stream: RunStream, leave: Callable[[], None]) -> EventReply:
    """`leave` is called after the last event, and when the reader disconnects."""

    async def events() -> AsyncIterator[bytes]:
        async for event in stream.channel.events(idle_seconds=KEEPALIVE_SECONDS):
            yield b": keepalive\n\n" if event is None else b"data: " + event + b"\n\n"

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Svc-Run-Id": run_id}
    return EventReply(events(), headers, leave)


async def graph_reply(find: Callable[[], JsonObject | None]) -> Reply:
    try:
        found = await asyncio.to_thread(find)
    except Problem:
        raise
    except Exception as error:
        log.error("agent_error", error)
        raise Problem("agent_error", f"the graph cannot be shown: {error}") from error
    if found is None:
        raise Problem("not_found", "the agent is no graph")
    return json_reply(found, {})


def find_handler(routes: Routes, request: Request) -> Handler:
    methods = routes.get(request.path) or routes.get(RUN_PATH.sub("/runs/*", request.path, count=1))
    if methods is None:
        raise Problem("not_found", "nothing is served at this path")
    handler = methods.get(request.method)
    if handler is None:
        allowed = ", ".join(methods)
        raise Problem("method_not_allowed", f"this path takes {allowed} only", headers={"Allow": allowed})
    return handler


def run_id_in(request: Request) -> str:
    return request.path.split("/")[2]


def read_wait_seconds(request: Request) -> float:
    return whole_number(request.query_value("wait_seconds", "0"), "wait_seconds", MAX_WAIT_SECONDS)
