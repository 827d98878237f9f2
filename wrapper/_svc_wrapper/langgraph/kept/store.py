"""langgraph's store, for items that the service keeps.

One request has all operations of a batch. The service puts the owner before each namespace, so the graph names only
what is below.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp

from ... import log
from ...agent import JsonObject
from ...memory.door import DoorNotReached, DoorRefused
from ...memory.in_thread import in_thread
from ...memory.run_memory import the_run
from .store_settings import StoreSettings


class StoreRefused(Exception):
    """The service has refused an operation, or could not be reached for it."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code


class ServiceStore(BaseStore):
    supports_ttl = True

    def __init__(self, settings: StoreSettings) -> None:
        self.fields = settings.fields
        # langgraph's base class gives it to each put without a time. A read lets an item last anew.
        self.ttl_config = {"default_ttl": settings.default_ttl, "refresh_on_read": True}
        # Those of the last request, because each request of a model that is away has the same ones.
        self.noticed: list[str] = []

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        asked = list(ops)
        body = json.dumps({"ops": [op_of(op, self.fields) for op in asked]}, allow_nan=False).encode()
        try:
            answer = json.loads(the_run().store(body))
        except DoorRefused as refusal:
            raise StoreRefused(refusal.code, f"the service refused the store's operation: {refusal}") from refusal
        except DoorNotReached as error:
            raise StoreRefused("not_reached", f"the service could not be reached: {error}") from error
        results = answer["data"]["results"]
        # A service of an earlier release has none.
        self._notice(answer["data"].get("notices", []))
        return [result_of(op, result) for op, result in zip(asked, results, strict=True)]

    def _notice(self, notices: list[str]) -> None:
        for notice in notices:
            if notice not in self.noticed:
                log.warning("notice", message=f"store: {notice}")
        self.noticed = notices

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        asked = list(ops)
        return await in_thread(lambda: self.batch(asked))


def op_of(op: Any, fields: list[str] | None) -> JsonObject:
    if isinstance(op, GetOp):
        return {"op": "get", "namespace": op.namespace, "key": op.key}
    if isinstance(op, PutOp):
        return {
            "op": "put",
            "namespace": op.namespace,
            "key": op.key,
            "value": None if op.value is None else dict(op.value),
            "index": fields if op.index is None else op.index,
            # Versions of langgraph before the time to live have no such field.
            "ttl_minutes": getattr(op, "ttl", None),
        }
    if isinstance(op, SearchOp):
        return {
            "op": "search",
            "prefix": op.namespace_prefix,
            "query": getattr(op, "query", None),
            "filter": op.filter,
            "limit": op.limit,
            "offset": op.offset,
        }
    if isinstance(op, ListNamespacesOp):
        matches = [{"type": match.match_type, "path": match.path} for match in op.match_conditions or ()]
        depth = {"max_depth": op.max_depth, "limit": op.limit, "offset": op.offset}
        return {"op": "list_namespaces", "match": matches, **depth}
    raise TypeError(f"the store has no operation {type(op).__name__}")


def result_of(op: Any, result: Any) -> Any:
    if isinstance(op, GetOp):
        return None if result is None else Item(**fields_of(result))
    if isinstance(op, SearchOp):
        return [SearchItem(**fields_of(item), score=item.get("score")) for item in result]
    if isinstance(op, ListNamespacesOp):
        return [tuple(namespace) for namespace in result]
    return None


def fields_of(item: JsonObject) -> JsonObject:
    return {
        "namespace": tuple(item["namespace"]),
        "key": item["key"],
        "value": item["value"],
        "created_at": moment(item["created_at"]),
        "updated_at": moment(item["updated_at"]),
    }


def moment(text: str) -> datetime.datetime:
    # Python 3.10 reads no Z.
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
