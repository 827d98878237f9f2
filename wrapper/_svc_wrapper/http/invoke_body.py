"""The JSON of a request to the agent: its members and their types, without a coercion."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ..agent import JsonObject
from ..problems import Problem

MAX_THREAD_ID = 512


@dataclass
class InvokeBody:
    """`input` starts a run; `resume` with a `thread_id` continues one that waits for a person."""

    input: JsonObject | None = None
    resume: Any = None
    thread_id: str | None = None
    config: JsonObject = field(default_factory=dict)
    context: JsonObject | None = None
    metadata: JsonObject = field(default_factory=dict)
    stream: bool = False
    # Null is a value to resume with.
    resumes: bool = False


def parse_body(raw: bytes) -> InvokeBody:
    try:
        parsed = DECODER.decode(raw.decode("utf-8"))
    except RecursionError:
        raise Problem("malformed_json", "the body is nested too deeply") from None
    except ValueError as error:
        raise Problem("malformed_json", f"the body is not JSON: {error}") from None
    if not isinstance(parsed, dict):
        raise Problem("invalid_request", "the body must be an object with 'input'")
    faults = faults_of(parsed)
    if faults:
        refuse_request(faults)
    return InvokeBody(**parsed, resumes="resume" in parsed)


def faults_of(parsed: JsonObject) -> list[JsonObject]:
    told = [(name, fault_of(parsed[name])) for name, fault_of in MEMBERS.items() if name in parsed]
    told += [(name, "Extra inputs are not permitted") for name in parsed if name not in MEMBERS]
    return [member_fault(name, fault) for name, fault in told if fault]


def object_fault(value: Any) -> str | None:
    return None if isinstance(value, dict) else "Input should be a valid dictionary"


def optional_object_fault(value: Any) -> str | None:
    return None if value is None else object_fault(value)


def thread_id_fault(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        return "Input should be a valid string"
    if not value:
        return "String should have at least 1 character"
    if len(value) > MAX_THREAD_ID:
        return f"String should have at most {MAX_THREAD_ID} characters"
    try:
        # JSON can escape half of a character, which has no UTF-8 form.
        value.encode()
    except UnicodeEncodeError:
        return "Input should be a valid string, unable to parse raw data as a unicode string"
    return None


def boolean_fault(value: Any) -> str | None:
    return None if isinstance(value, bool) else "Input should be a valid boolean"


def no_fault(_: Any) -> None:
    return None


MEMBERS: dict[str, Callable[[Any], str | None]] = {
    "input": optional_object_fault,
    "resume": no_fault,
    "thread_id": thread_id_fault,
    "config": object_fault,
    "context": optional_object_fault,
    "metadata": object_fault,
    "stream": boolean_fault,
}


def refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


# json.loads would create a decoder for each call.
DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def member_fault(name: str, fault: str) -> JsonObject:
    escaped = name.replace("~", "~0").replace("/", "~1")
    return {"pointer": f"/{escaped}", "detail": f"'{name}': {fault}"}


def refuse_request(errors: list[JsonObject]) -> NoReturn:
    detail = "; ".join(error["detail"] for error in errors)
    raise Problem("invalid_request", f"the request has faults: {detail}", errors=errors)
