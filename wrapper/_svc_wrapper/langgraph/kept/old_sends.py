"""Messages to nodes (`Send`) in states of langgraph before 0.5: they are writes of the checkpoint before."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple

TASKS = "__pregel_tasks"
# From this version of a checkpoint on they are a channel of it.
WITH_CHANNEL = 4


def with_sends(
    found: CheckpointTuple, read: Callable[[Any], CheckpointTuple | None], next_version: Callable[[Any], Any]
) -> CheckpointTuple:
    """`read` gives the checkpoint before, as it is stored."""
    if found.checkpoint.get("v", WITH_CHANNEL) >= WITH_CHANNEL or found.parent_config is None:
        return found
    parent = read(found.parent_config)
    sends = [value for _, channel, value in (parent.pending_writes if parent else None) or [] if channel == TASKS]
    if not sends:
        return found
    checkpoint: Any = {**found.checkpoint, "pending_sends": sends}
    if has_channel():
        versions = checkpoint["channel_versions"]
        checkpoint["channel_values"] = {**checkpoint["channel_values"], TASKS: sends}
        checkpoint["channel_versions"] = {**versions, TASKS: max(versions.values(), default=next_version(None))}
    return found._replace(checkpoint=checkpoint)


@functools.cache
def has_channel() -> bool:
    """langgraph from 0.5 on needs this version of its package of savers."""
    return tuple(int(part) for part in importlib.metadata.version("langgraph-checkpoint").split(".")[:2]) >= (2, 1)
