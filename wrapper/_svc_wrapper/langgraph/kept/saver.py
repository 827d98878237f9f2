"""langgraph's saver of checkpoints, for threads that the service keeps.

It has no state of its own: each method works for the run in whose context it is called. The async methods differ only
in that their requests wait in a thread.
"""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langgraph.checkpoint import base
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from ...agent import JsonObject
from ...memory.door import Ask
from ...memory.frames import Frames
from ...memory.in_thread import in_thread
from ...memory.run_memory import RunMemory, frames_of, the_run
from .checkpoint_frames import StateForm
from .old_sends import with_sends
from .state_types import reading

# One page of a list has the values of its checkpoints.
PAGE = 50
MOST = 100


class ServiceSaver(BaseCheckpointSaver):
    def __init__(self, *, serde: Any, visible: frozenset[str]) -> None:
        super().__init__(serde=serde)
        self.visible = visible

    @property
    def form(self) -> StateForm:
        # langgraph clones a saver and gives the clone another serializer.
        return StateForm(self.serde, self.visible)

    def get_next_version(self, current: str | None, channel: Any = None) -> str:
        """Texts in the order of the steps. Two branches of a thread never have one version for two values."""
        step = 0 if current is None else int(str(current).split(".")[0])
        return f"{step + 1:012d}.{secrets.token_hex(6)}"

    def get_tuple(self, config: Any) -> CheckpointTuple | None:
        run, place = the_run(), config["configurable"]
        thread_id, ns, checkpoint_id = str(place["thread_id"]), place.get("checkpoint_ns", ""), id_in(config)
        held = run.holds(thread_id)
        if held is not None:
            found = held.tuples(thread_id, ns)
            return next((one for one in found if checkpoint_id in (None, one.checkpoint["id"])), None)
        if checkpoint_id is None:
            frames = run.newest(thread_id, ns)
        else:
            frames = frames_of(run.states(thread_id, {"ns": ns, "id": checkpoint_id}, ns))
        return next(iter(self._read(frames, thread_id)), None)

    def list(
        self, config: Any, *, filter: JsonObject | None = None, before: Any = None, limit: int | None = None
    ) -> Iterator[CheckpointTuple]:
        if config is None:
            raise ValueError("a run sees the threads of its caller by name: give a config with a thread_id")
        run, place = the_run(), config["configurable"]
        thread_id, ns, checkpoint_id = str(place["thread_id"]), place.get("checkpoint_ns"), id_in(config)
        held = run.holds(thread_id)
        found = held.tuples(thread_id, ns) if held else self._pages(run, thread_id, ns, checkpoint_id, before, limit)
        ceiling = id_in(before) if before else None
        fitting = (
            one
            for one in found
            if (checkpoint_id is None or one.checkpoint["id"] == checkpoint_id)
            and (ceiling is None or one.checkpoint["id"] < ceiling)
            and all(one.metadata.get(name) == value for name, value in (filter or {}).items())
        )
        return itertools.islice(fitting, limit)

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        run, place = the_run(), config["configurable"]
        thread_id, ns = str(place["thread_id"]), place.get("checkpoint_ns", "")
        whole = metadata_of(config, metadata)
        held = run.holds(thread_id)
        if held is not None:
            held.put(self.form, config, checkpoint, whole, new_versions)
        else:
            run.put(thread_id, lambda: self.form.put(config, checkpoint, whole, new_versions))
        return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint["id"]}}

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        run = the_run()
        thread_id = str(config["configurable"]["thread_id"])
        held = run.holds(thread_id)
        if held is not None:
            held.write(self.form, config, writes, task_id, task_path)
        else:
            run.write(thread_id, lambda: self.form.writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        run = the_run()
        held = run.holds(thread_id)
        if held is not None:
            held.clear()
        else:
            run.delete(thread_id)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._change("/memory/state/delete-runs", {"run_ids": list_of(run_ids)})

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._change("/memory/threads/copy", {"from": source_thread_id, "to": target_thread_id})

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._change("/memory/state/prune", {"threads": list_of(thread_ids), "strategy": strategy})

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        if the_run().holds(str(config["configurable"]["thread_id"])) is not None:
            return self.get_tuple(config)
        return await in_thread(lambda: self.get_tuple(config))

    async def alist(
        self, config: Any, *, filter: JsonObject | None = None, before: Any = None, limit: int | None = None
    ) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await in_thread(lambda: next(found, None))) is not None:
            yield one

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        stored = self.put(config, checkpoint, metadata, new_versions)
        run = the_run()
        if run.flushes_steps:
            await in_thread(run.outbox.flush)
        return stored

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await in_thread(lambda: self.delete_thread(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await in_thread(lambda: self.delete_for_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await in_thread(lambda: self.copy_thread(source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await in_thread(lambda: self.prune(thread_ids, strategy=strategy))

    def _pages(
        self, run: RunMemory, thread_id: str, ns: str | None, checkpoint_id: str | None, before: Any, limit: int | None
    ) -> Iterator[CheckpointTuple]:
        below = id_in(before) if before else None
        size = min(PAGE if limit is None else max(limit, 1), MOST)
        while True:
            query = {"ns": ns, "id": checkpoint_id, "before": below, "limit": str(size)}
            body = run.states(thread_id, {name: value for name, value in query.items() if value is not None}, ns)
            page = [*self._read(frames_of(body), thread_id)]
            yield from page
            if checkpoint_id is not None or len(page) < size:
                return
            below = page[-1].checkpoint["id"]

    def _read(self, frames: Frames, thread_id: str) -> Sequence[CheckpointTuple]:
        return [with_sends(one, self._stored, self.get_next_version) for one in self._loaded(frames, thread_id)]

    def _stored(self, config: Any) -> CheckpointTuple | None:
        place = config["configurable"]
        query = {"ns": place["checkpoint_ns"], "id": place["checkpoint_id"]}
        body = the_run().states(place["thread_id"], query, place["checkpoint_ns"])
        return next(iter(self._loaded(frames_of(body), place["thread_id"])), None)

    def _loaded(self, frames: Frames, thread_id: str) -> Sequence[CheckpointTuple]:
        with reading(thread_id):
            return [*self.form.tuples(frames, thread_id)]

    def _change(self, path: str, body: JsonObject) -> None:
        the_run().change(Ask("POST", path, body=json.dumps(body).encode()))


def id_in(config: Any) -> str | None:
    return config["configurable"].get("checkpoint_id") or None


def list_of(names: Sequence[str]) -> Sequence[str]:
    return [str(name) for name in names]


def metadata_of(config: Any, metadata: Any) -> JsonObject:
    """With the plain values of the config, as langgraph's savers store them."""
    complete = getattr(base, "get_checkpoint_metadata", None)
    return dict(complete(config, metadata) if complete else metadata)
