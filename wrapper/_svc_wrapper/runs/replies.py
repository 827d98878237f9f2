"""Replies about runs. Outputs are already JSON bytes, so replies are joined from bytes."""

from __future__ import annotations

from ..agent import JsonObject
from ..encode import to_json
from ..http.reply import Reply
from .runs import End, Run, time_text


def invoke_reply(run: Run) -> Reply:
    if run.end is None:
        return run_reply(run, 202)
    if run.end.problem:
        return run.end.problem.reply(has_begun=run.started_at is not None)
    fields: JsonObject = {"run_id": run.id, "status": run.status, "thread_id": run.thread_id}
    return json_reply({**fields, **continued(run.end)}, outputs_of(run.end))


def run_reply(run: Run, status_code: int = 200) -> Reply:
    fields: JsonObject = {
        "run_id": run.id,
        "status": run.status,
        "thread_id": run.thread_id,
        "metadata": run.metadata,
        "created_at": time_text(run.created_at),
        "started_at": time_text(run.started_at),
        "ended_at": time_text(run.ended_at),
    }
    if run.end and run.end.problem:
        fields["error"] = run.end.problem.body()
    if run.end:
        fields.update(continued(run.end))
    outputs = outputs_of(run.end) if run.end and not run.end.problem else {}
    return json_reply(fields, outputs, status_code)


def continued(end: End) -> JsonObject:
    return {"continued_at": end.continued_at} if end.continued_at else {}


def outputs_of(end: End) -> dict[str, bytes]:
    return {"output": end.output, **({"interrupts": end.interrupts} if end.interrupts else {})}


def json_reply(fields: JsonObject, encoded: dict[str, bytes], status_code: int = 200) -> Reply:
    parts = [to_json(fields)[:-1], *(b',"%s":%s' % (name.encode(), value) for name, value in encoded.items()), b"}"]
    headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
    return Reply(status_code, headers, b"".join(parts))
