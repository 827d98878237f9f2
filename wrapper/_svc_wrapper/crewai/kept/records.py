"""The memories of crews as items of the service's store, in crewai's form of a storage.

The service puts the caller of the run before them, so no caller finds what another one has told. A search reads the
caller's memories and compares them here: the store has at most 10,000 items of one caller.
"""

from __future__ import annotations

import array
import base64
import datetime
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ...agent import JsonObject
from ...memory.door import DoorNotReached, DoorRefused
from ...memory.run_memory import the_run
from ...problems import Problem
from .words import SIZE, nearness, vector_of

NAMESPACE = ["crewai", "memories"]
# Of one request.
PAGE = 1000
WRITES = 200


class RecordsRefused(Exception):
    """The service has refused an operation on memories, or could not be reached for it."""


class ServiceRecords:
    """crewai's StorageBackend; one object for all memories. Their scopes keep them apart."""

    def save(self, records: Sequence[Any]) -> None:
        self._put({record.id: value_of(record) for record in records})

    def update(self, record: Any) -> None:
        self.save([record])

    def search(
        self,
        query_embedding: Sequence[float],
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        metadata_filter: JsonObject | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[Any, float]]:
        found = [
            (record, nearness(query_embedding, record.embedding or vector_of(record.content)))
            for record in self._all()
            if is_below(record, scope_prefix) and fits(record, categories, metadata_filter)
        ]
        near = [pair for pair in found if pair[1] >= min_score]
        return sorted(near, key=lambda pair: pair[1], reverse=True)[:limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: Sequence[str] | None = None,
        record_ids: Sequence[str] | None = None,
        older_than: datetime.datetime | None = None,
        metadata_filter: JsonObject | None = None,
    ) -> int:
        chosen = [
            record.id
            for record in self._all()
            if is_below(record, scope_prefix)
            and fits(record, categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (older_than is None or record.created_at < older_than)
        ]
        self._put(dict.fromkeys(chosen))
        return len(chosen)

    def get_record(self, record_id: str) -> Any | None:
        [item] = self._ask([{"op": "get", "namespace": NAMESPACE, "key": record_id}], "to read memories")
        return None if item is None else record_of(item["value"])

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[Any]:
        newest = sorted(self._below(scope_prefix), key=lambda record: record.created_at, reverse=True)
        return newest[offset : offset + limit]

    def get_scope_info(self, scope: str) -> Any:
        from crewai.memory.types import ScopeInfo

        records = self._below(scope)
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope.rstrip("/") or "/",
            record_count=len(records),
            categories=sorted({category for record in records for category in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=children(records, scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        return children(self._below(parent), parent)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        return dict(Counter(category for record in self._below(scope_prefix) for category in record.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self._below(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        self._put(dict.fromkeys(record.id for record in self._below(scope_prefix)))

    # crewai runs the asynchronous forms in threads of its own where it has a loop; its other storages do the same.
    async def asave(self, records: Sequence[Any]) -> None:
        self.save(records)

    async def asearch(self, query_embedding: Sequence[float], *args: Any, **fields: Any) -> list[tuple[Any, float]]:
        return self.search(query_embedding, *args, **fields)

    async def adelete(self, *args: Any, **fields: Any) -> int:
        return self.delete(*args, **fields)

    def _below(self, scope: str | None) -> list[Any]:
        return [record for record in self._all() if is_below(record, scope)]

    def _all(self) -> Iterator[Any]:
        offset = 0
        while True:
            every = {"query": None, "filter": None}
            op = {"op": "search", "prefix": NAMESPACE, **every, "limit": PAGE, "offset": offset}
            [items] = self._ask([op], "to read memories")
            yield from (record_of(item["value"]) for item in items)
            if len(items) < PAGE:
                return
            offset += PAGE

    def _put(self, values: dict[str, JsonObject | None]) -> None:
        ops = [
            {"op": "put", "namespace": NAMESPACE, "key": key, "value": value, "index": ["content"], "ttl_minutes": None}
            for key, value in values.items()
        ]
        for start in range(0, len(ops), WRITES):
            self._ask(ops[start : start + WRITES], "to store memories")

    def _ask(self, ops: list[JsonObject], what: str) -> list[Any]:
        """crewai goes on after a failed memory, so the run itself remembers the failure and ends with it."""
        run = the_run()
        try:
            body = json.dumps({"ops": ops}, allow_nan=False).encode()
            return json.loads(run.store(body))["data"]["results"]
        except (DoorRefused, DoorNotReached, ValueError, TypeError) as error:
            reason = getattr(error, "code", None)
            named = {} if reason is None else {"reason": reason}
            run.unstored = Problem("memories_not_kept", f"the service could not be asked {what}: {error}", **named)
            raise RecordsRefused(f"{what}: {error}") from error


def value_of(record: Any) -> JsonObject:
    """With its vector as 32-bit numbers; a vector of words follows from the content."""
    value: JsonObject = record.model_dump(mode="json")
    embedding = record.embedding
    is_of_words = embedding is not None and len(embedding) == SIZE and list(embedding) == vector_of(record.content)
    if embedding and not is_of_words:
        value["embedding"] = base64.b64encode(array.array("f", embedding).tobytes()).decode()
    return value


def record_of(value: JsonObject) -> Any:
    from crewai.memory.types import MemoryRecord

    stored = value.get("embedding")
    vector = None if stored is None else array.array("f", base64.b64decode(stored)).tolist()
    return MemoryRecord.model_validate({**value, "embedding": vector})


def is_below(record: Any, scope: str | None) -> bool:
    """Of whole parts: `/a` has `/a/b`, and not `/ab`."""
    parts = parts_of(scope or "")
    return parts_of(record.scope)[: len(parts)] == parts


def fits(record: Any, categories: Sequence[str] | None, metadata: JsonObject | None) -> bool:
    return (not categories or any(one in record.categories for one in categories)) and all(
        record.metadata.get(name) == wanted for name, wanted in (metadata or {}).items()
    )


def children(records: Iterable[Any], parent: str) -> list[str]:
    """The scopes one below."""
    depth = len(parts_of(parent)) + 1
    paths = (parts_of(record.scope) for record in records)
    return sorted({"/" + "/".join(parts[:depth]) for parts in paths if len(parts) >= depth})


def parts_of(scope: str) -> list[str]:
    return [part for part in scope.split("/") if part]
