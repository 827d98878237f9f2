"""Checkpoints and writes of langgraph in the form of the door, and back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import WRITES_IDX_MAP, CheckpointTuple

from ...agent import JsonObject
from ...agent_error import masked_start
from ...encode import to_json
from ...memory.frames import Frames
from ...memory.outbox import Row
from ...problems import Problem

# A serializer's message can have the value itself.
MAX_REASON = 300


@dataclass(frozen=True)
class StateForm:
    """How one graph's states are written."""

    serde: Any
    # The channels that a reader of the state sees.
    visible: frozenset[str] = field(default_factory=frozenset)

    def put(
        self, config: JsonObject, checkpoint: JsonObject, metadata: JsonObject, new_versions: Mapping[str, Any]
    ) -> Row:
        place = config["configurable"]
        bare = dict(checkpoint)
        values: JsonObject = bare.pop("channel_values")
        ns = place.get("checkpoint_ns", "")
        kind, body = self._bytes(bare, "the checkpoint")
        metadata_kind, metadata_body = self._bytes(metadata, "the metadata")
        parts = [body, metadata_body]
        channels: list[JsonObject] = []
        for name, version in new_versions.items():
            if name not in values:
                continue
            blob_kind, blob = self._bytes(values[name], f"channel '{name}'")
            view = to_json(values[name]) if not ns and name in self.visible else b""
            sizes = {"size": len(blob), "view_size": len(view)}
            channels.append({"channel": name, "version": str(version), "type": blob_kind, **sizes})
            parts += [blob, view]
        versions = checkpoint["channel_versions"]
        said = {
            "ns": ns,
            "id": checkpoint["id"],
            "parent_id": place.get("checkpoint_id"),
            "type": kind,
            "size": len(body),
            "metadata": {"type": metadata_kind, "size": len(metadata_body)},
            "versions": {name: str(version) for name, version in versions.items() if name in values},
            "source": str(metadata.get("source", "loop")),
            "step": metadata.get("step", 0),
            "channels": channels,
        }
        run_id = metadata.get("run_id")
        return Row({**said, "run_id": run_id} if is_uuid(run_id) else said, parts)

    def writes(self, config: JsonObject, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str) -> Row:
        place = config["configurable"]
        items: list[JsonObject] = []
        parts: list[bytes] = []
        for position, (channel, value) in enumerate(writes):
            kind, body = self._bytes(value, f"channel '{channel}'")
            index = WRITES_IDX_MAP.get(channel, position)
            items.append({"idx": index, "channel": channel, "type": kind, "size": len(body)})
            parts.append(body)
        of_task = {"task_id": task_id, "task_path": task_path, "items": items}
        return Row(
            {"ns": place.get("checkpoint_ns", ""), "checkpoint_id": place["checkpoint_id"], **of_task},
            parts,
        )

    def tuples(self, frames: Frames, thread_id: str) -> Iterator[CheckpointTuple]:
        """Raises whatever a value raises that cannot be read."""
        rows = []
        for said in frames.head["checkpoints"]:
            body = frames.take(said["size"])
            metadata = frames.take(said["metadata"]["size"])
            rows.append((said, body, metadata, [frames.take(write["size"]) for write in said["writes"]]))
        blobs = {
            (said["ns"], said["channel"], said["version"]): (said["type"], frames.take(said["size"]))
            for said in frames.head["blobs"]
        }
        frames.end()
        for said, body, metadata, writes in rows:
            yield self._tuple(thread_id, said, (body, metadata, writes), blobs)

    def _tuple(self, thread_id: str, said: JsonObject, bodies: tuple[bytes, bytes, list[bytes]], blobs: Any) -> Any:
        body, metadata, writes = bodies
        load = self.serde.loads_typed
        ns = said["ns"]
        stored = {name: blobs.get((ns, name, version)) for name, version in said["versions"].items()}
        missing = [name for name, blob in stored.items() if blob is None]
        if missing:
            raise LookupError(f"the value of channel '{missing[0]}' is missing")
        pending = sorted(zip(said["writes"], writes, strict=True), key=lambda pair: order_of(pair[0]))
        return CheckpointTuple(
            config=config_of(thread_id, ns, said["id"]),
            checkpoint={
                **load((said["type"], body)),
                "channel_values": {name: load(blob) for name, blob in stored.items()},
            },
            metadata=load((said["metadata"]["type"], metadata)),
            parent_config=config_of(thread_id, ns, said["parent_id"]) if said["parent_id"] else None,
            pending_writes=[
                (write["task_id"], write["channel"], load((write["type"], value))) for write, value in pending
            ],
        )

    def _bytes(self, value: Any, what: str) -> tuple[str, bytes]:
        try:
            return self.serde.dumps_typed(value)
        except Exception as error:
            raise Problem(
                "thread_not_stored",
                f"the state of the thread cannot be stored: {what} has no stored form: {reason_of(error)}",
                hint="Keep such values out of the graph's state, or call the agent without a thread_id.",
            ) from error


def reason_of(error: Exception) -> str:
    return masked_start(f"{type(error).__name__}: {error}", MAX_REASON)


def order_of(write: JsonObject) -> tuple[str, str, int]:
    """In which langgraph applies the writes of a step. Their ids are hashes, so their order is none."""
    return write["task_path"], write["task_id"], write["idx"]


def config_of(thread_id: str, ns: str, checkpoint_id: str) -> JsonObject:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}


def is_uuid(value: Any) -> bool:
    try:
        return str(uuid.UUID(value)) == value
    except (ValueError, AttributeError, TypeError):
        return False
