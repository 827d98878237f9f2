"""Reads a request to the agent: the body, its shape, the run's id."""

from __future__ import annotations

import asyncio
import re
import urllib.parse
import uuid
from collections.abc import Callable

from ..agent import Call
from ..graph_options import GRAPH_HEADER, read_graph_options
from ..outgoing.run_headers import RUN_HEADER, TRACE_HEADER
from ..problems import Problem
from ..runs.run_identity import RunIdentity
from ..settings.settings import Settings
from .ingress_identity import read_caller, read_thread_space
from .invoke_body import parse_body, refuse_request, thread_id_fault
from .request import Headers, Receive, Request

HIDDEN_HEADER = "X-Svc-Hidden"
RUN_ID_HEADER = "X-Svc-Run-Id"
ATTEMPT_HEADER = "X-Svc-Attempt"
SIDE_STREAM_HEADER = "X-Svc-Side-Stream"
# Percent-encoded, because a header has no letters beyond Latin-1.
THREAD_HEADER = "X-Svc-Thread"
ESCAPED = re.compile(r"(?:[!-$&-~]|%[0-9A-Fa-f]{2})+")
BODY_SECONDS = 60


async def read_invoke(request: Request, settings: Settings, is_by_service: Callable[[], bool]) -> tuple[Call, bool]:
    """The call, and True for a stream of events. The agent can become ready while the body arrives."""
    headers = request.headers
    caller = read_caller(headers, secret=settings.ingress_secret, agent_name=settings.agent_name)
    thread_space = read_thread_space(headers)
    check_content_type(request)
    run_id = read_run_id(request)
    body = parse_body(await read_body(request, settings.max_body_bytes))
    if body.resumes == (body.input is not None):
        sentence = "'input' must be an object" if not body.resumes else "give 'input' or 'resume', not both"
        refuse_request([{"pointer": "/input", "detail": sentence}])
    threads_by_service = is_by_service()
    thread_id = read_thread(headers, body.thread_id) if threads_by_service else body.thread_id
    if body.resumes and thread_id is None:
        refuse_request([{"pointer": "/thread_id", "detail": "'resume' needs the 'thread_id' of the run that waits"}])
    call = Call(
        run_id=run_id,
        attempt=whole_number(headers.first(ATTEMPT_HEADER, "0"), ATTEMPT_HEADER),
        thread_id=thread_id or (run_id if threads_by_service else str(uuid.uuid4())),
        names_thread=thread_id is not None,
        input=body.input,
        resumes=body.resumes,
        resume=body.resume,
        config=body.config,
        context=body.context,
        metadata=body.metadata,
        # The service separates its callers itself.
        thread_space=None if threads_by_service else thread_space,
        caller=caller,
        graph=read_graph_options(headers.find(GRAPH_HEADER)),
        run=RunIdentity(
            headers.find(RUN_HEADER),
            headers.find(TRACE_HEADER),
            frozenset(headers.first(HIDDEN_HEADER, "").split(",")),
        ),
    )
    return call, body.stream


def read_thread(headers: Headers, named: str | None) -> str | None:
    """The thread that the service keeps for this call; None for a call without one.

    The service says the name, also of a thread that it has just made for "new".
    """
    given = headers.all(THREAD_HEADER)
    if len(given) > 1:
        raise Problem("invalid_request", f"{THREAD_HEADER} must be given once")
    if not given:
        if named is not None:
            refuse_request([{"pointer": "/thread_id", "detail": f"a call with a thread needs {THREAD_HEADER}"}])
        return None
    try:
        name = urllib.parse.unquote(given[0], errors="strict") if ESCAPED.fullmatch(given[0]) else ""
    except UnicodeDecodeError:
        name = ""
    if thread_id_fault(name) is not None:
        raise Problem("invalid_request", f"{THREAD_HEADER} must be the name of a thread, percent-encoded")
    return name


def wants_side_stream(request: Request) -> bool:
    """The ingress reads the events of the run too, and still wants its answer here."""
    return request.headers.find(SIDE_STREAM_HEADER) is not None


def check_content_type(request: Request) -> None:
    media_type = request.headers.first("content-type", "").split(";")[0].strip(" ").lower()
    if media_type != "application/json":
        raise Problem("json_required", "the body must be sent as application/json")


def read_run_id(request: Request) -> str:
    """The ingress names the run, so that it can find it after a lost connection."""
    given = request.headers.find(RUN_ID_HEADER)
    if given is None:
        return str(uuid.uuid4())
    try:
        return str(uuid.UUID(given))
    except ValueError:
        raise Problem("invalid_run_id", f"{RUN_ID_HEADER} must be a UUID") from None


def whole_number(text: str, name: str, most: int = 2**31 - 1) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) > most:
        raise Problem("invalid_request", f"{name} must be a whole number from 0 to {most}")
    return int(text)


async def read_body(request: Request, max_bytes: int) -> bytes:
    announced = request.headers.first("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise body_too_large(max_bytes)
    try:
        return await asyncio.wait_for(received(request.receive, max_bytes), BODY_SECONDS)
    except asyncio.TimeoutError:
        raise Problem("body_too_slow", f"the body did not arrive within {BODY_SECONDS} seconds") from None


async def received(receive: Receive, max_bytes: int) -> bytes:
    """Counts the bytes too, because a chunked body announces no size."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            # Nobody reads this answer, but without it the log would have a fault of the wrapper.
            raise Problem("malformed_json", "the connection closed before the body was complete")
        body += message.get("body", b"")
        if len(body) > max_bytes:
            raise body_too_large(max_bytes)
        if not message.get("more_body", False):
            return body


def body_too_large(max_bytes: int) -> Problem:
    return Problem("body_too_large", f"the body is larger than {max_bytes} bytes")
