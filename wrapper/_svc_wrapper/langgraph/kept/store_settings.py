"""`store` and `checkpointer` of langgraph.json: how long items and threads last, and which texts a search reads.

A push refuses values of a wrong type (project/src/langgraph-json.ts), so here they only count as not set.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class StoreSettings:
    # Minutes, for an item that is put without a time.
    default_ttl: float | None = None
    # For an item that is put without paths.
    fields: list[str] | None = None
    # After the last use of a thread.
    threads_kept_seconds: int | None = None


def read_store_settings(app_folder: Path | None) -> StoreSettings:
    try:
        written: Any = json.loads((app_folder / "langgraph.json").read_text(encoding="utf-8")) if app_folder else {}
    except (OSError, ValueError):
        # Most projects have none.
        return StoreSettings()
    ttl = member(member(member(written, "store"), "ttl"), "default_ttl")
    fields = member(member(member(written, "store"), "index"), "fields")
    threads_ttl = member(member(member(written, "checkpointer"), "ttl"), "default_ttl")
    threads_kept_seconds = max(1, round(threads_ttl * 60)) if is_time(threads_ttl) else None
    is_paths = isinstance(fields, list) and all(isinstance(path, str) for path in fields)
    return StoreSettings(float(ttl) if is_time(ttl) else None, fields if is_paths else None, threads_kept_seconds)


def is_time(minutes: Any) -> bool:
    return isinstance(minutes, (int, float)) and not isinstance(minutes, bool) and minutes > 0


def member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
