"""The checkpoints of a call without a thread: references, in the memory of the run.

Nothing is serialised. Only a run that waits for a person is sent, at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import WRITES_IDX_MAP, CheckpointTuple

from ...agent import JsonObject
from ...memory.outbox import Row
from .checkpoint_frames import StateForm, config_of


@dataclass
class HeldCheckpoint:
    form: StateForm
    config: JsonObject
    checkpoint: JsonObject
    metadata: JsonObject
    new_versions: JsonObject
    # By task and index, as in langgraph's savers.
    writes: dict[tuple[str, int], tuple[str, str, Any]] = field(default_factory=dict)


class HeldThread:
    def __init__(self) -> None:
        self.by_ns: dict[str, dict[str, HeldCheckpoint]] = {}
        # Each as it came, for the service.
        self.written: list[tuple[StateForm, JsonObject, Sequence[tuple[str, Any]], str, str]] = []

    def put(
        self, form: StateForm, config: JsonObject, checkpoint: JsonObject, metadata: JsonObject, versions: JsonObject
    ) -> None:
        ns = config["configurable"].get("checkpoint_ns", "")
        held = HeldCheckpoint(form, config, checkpoint, metadata, versions)
        self.by_ns.setdefault(ns, {})[checkpoint["id"]] = held

    def write(
        self, form: StateForm, config: JsonObject, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> None:
        self.written.append((form, config, list(writes), task_id, task_path))
        place = config["configurable"]
        held = self.by_ns.get(place.get("checkpoint_ns", ""), {}).get(place["checkpoint_id"])
        if held is None:
            return
        for position, (channel, value) in enumerate(writes):
            index = WRITES_IDX_MAP.get(channel, position)
            if index < 0 or (task_id, index) not in held.writes:
                held.writes[task_id, index] = (channel, task_path, value)

    def clear(self) -> None:
        self.by_ns.clear()
        self.written.clear()

    def tuples(self, thread_id: str, ns: str | None) -> Iterator[CheckpointTuple]:
        """The newest first."""
        spaces = [ns] if ns is not None else list(self.by_ns)
        found = [(space, key, held) for space in spaces for key, held in self.by_ns.get(space, {}).items()]
        for space, key, held in sorted(found, key=lambda one: one[1], reverse=True):
            parent = held.config["configurable"].get("checkpoint_id")
            ordered = sorted(held.writes.items(), key=lambda one: (one[1][1], *one[0]))
            checkpoint = {**held.checkpoint, "channel_values": dict(held.checkpoint["channel_values"])}
            yield CheckpointTuple(
                config=config_of(thread_id, space, key),
                checkpoint=checkpoint,
                metadata=held.metadata,
                parent_config=config_of(thread_id, space, parent) if parent else None,
                pending_writes=[(task, channel, value) for (task, _), (channel, _, value) in ordered],
            )

    def rows(self) -> tuple[list[Row], list[Row]]:
        """Its puts and its writes in the form of the door. Raises a Problem for a state that has none."""
        checkpoints = sorted(
            (held for space in self.by_ns.values() for held in space.values()), key=lambda held: held.checkpoint["id"]
        )
        puts = [held.form.put(held.config, held.checkpoint, held.metadata, held.new_versions) for held in checkpoints]
        writes = [form.writes(*what) for form, *what in self.written]
        return puts, writes

    def last_state(self) -> Callable[[], Row] | None:
        """Serialises all values of the newest checkpoint of the graph itself, to see if they can be stored."""
        space = self.by_ns.get("")
        if not space:
            return None
        held = space[max(space)]
        return lambda: held.form.put(held.config, held.checkpoint, held.metadata, held.checkpoint["channel_versions"])
