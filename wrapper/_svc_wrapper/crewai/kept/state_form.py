"""The state of a flow in the form of the door, and back.

Each field of the state is a channel, so a later step sends only the fields that it has changed. The values are JSON, as
crewai itself stores them. A value without a JSON form fails by its name, where crewai would store its repr.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import secrets
import uuid
from dataclasses import dataclass, field
from typing import Any

from ...agent import JsonObject
from ...agent_error import masked_start
from ...encode import to_json
from ...memory.frames import Frames
from ...memory.outbox import Row
from ...memory.unreadable import unreadable
from ...problems import Problem
from ...pydantic_models import is_model

TYPE = "crewai-flow-1"
MAX_REASON = 300


@dataclass(frozen=True)
class Value:
    version: str
    blob: bytes


@dataclass(frozen=True)
class StoredState:
    """One state of a flow: the newest of its thread, or of a flow that its code starts."""

    id: str
    step: int
    # crewai's own name for the flow's state.
    flow_id: str
    # crewai's record of the question to a person, with all that a resumption needs.
    pending: JsonObject | None
    values: dict[str, Value] = field(default_factory=dict)

    def state(self) -> JsonObject:
        return {name: json.loads(value.blob) for name, value in self.values.items()}


def next_state(before: StoredState | None, flow_id: str, state: JsonObject, pending: JsonObject | None) -> StoredState:
    """Raises a Problem for a field without a stored form."""
    step = 0 if before is None else before.step + 1
    known = before.values if before else {}
    values: dict[str, Value] = {}
    for name, given in state.items():
        blob = json_of(given, f"field '{name}'")
        old = known.get(str(name))
        values[str(name)] = old if old is not None and old.blob == blob else Value(name_of(step), blob)
    return StoredState(name_of(step), step, flow_id, pending, values)


def row_of(ns: str, state: StoredState, before: StoredState | None, method: str) -> Row:
    body = json_of({"flow_id": state.flow_id, "pending": state.pending}, "the question to a person")
    metadata = json_of({"method": method}, "the name of the step")
    known = before.values if before else {}
    parts = [body, metadata]
    channels: list[JsonObject] = []
    for name, value in state.values.items():
        if known.get(name) == value:
            continue
        view = b"" if ns else to_json(json.loads(value.blob))
        sizes = {"size": len(value.blob), "view_size": len(view)}
        channels.append({"channel": name, "version": value.version, "type": TYPE, **sizes})
        parts += [value.blob, view]
    said = {
        "ns": ns,
        "id": state.id,
        "parent_id": before.id if before else None,
        "type": TYPE,
        "size": len(body),
        "metadata": {"type": TYPE, "size": len(metadata)},
        "versions": {name: value.version for name, value in state.values.items()},
        "source": "loop",
        "step": state.step,
        "channels": channels,
    }
    return Row(said, parts)


def read_newest(frames: Frames, thread_id: str) -> StoredState | None:
    """Raises a Problem for a state that no flow has written."""
    if not frames.head["checkpoints"]:
        return None
    said = frames.head["checkpoints"][0]
    if said["type"] != TYPE:
        raise unreadable(thread_id, "it is not the state of a flow")
    body = json.loads(frames.take(said["size"]))
    frames.take(said["metadata"]["size"])
    for write in said["writes"]:
        frames.take(write["size"])
    blobs = {blob["channel"]: Value(blob["version"], frames.take(blob["size"])) for blob in frames.head["blobs"]}
    frames.end()
    missing = sorted(said["versions"].keys() - blobs.keys())
    if missing:
        raise unreadable(thread_id, f"the value of field '{missing[0]}' is missing")
    return StoredState(said["id"], step_of(said["id"]), body["flow_id"], body["pending"], blobs)


def name_of(step: int) -> str:
    """Texts in the order of the steps. Two branches of a thread never have one name for two values."""
    return f"{step:012d}.{secrets.token_hex(6)}"


def step_of(name: str) -> int:
    return int(name.partition(".")[0])


def json_of(value: Any, what: str) -> bytes:
    try:
        return json.dumps(value, default=plain, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = masked_start(f"{type(error).__name__}: {error}", MAX_REASON)
        raise Problem(
            "thread_not_stored",
            f"the state of the thread cannot be stored: {what} has no stored form: {reason}",
            hint="Keep such values out of the flow's state, or call the agent without a thread_id.",
        ) from error


def plain(value: Any) -> Any:
    if is_model(value):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (uuid.UUID, decimal.Decimal, pathlib.PurePath)):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
