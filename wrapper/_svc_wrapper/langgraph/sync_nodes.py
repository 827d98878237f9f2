"""Decides if a graph's own code waits in threads or on the loop."""

from __future__ import annotations

import functools
from typing import Any


def has_sync_nodes(graph: Any) -> bool:
    """True when a node is a plain function: langgraph runs it in a thread of the loop's pool.

    A node of another kind counts as async, like models and tool nodes.
    """
    nodes: dict[str, Any] = getattr(graph, "nodes", None) or {}
    return any(is_sync(getattr(node, "bound", node)) for node in nodes.values())


def is_sync(runnable: Any) -> bool:
    if getattr(runnable, "nodes", None):
        return has_sync_nodes(runnable)
    steps = getattr(runnable, "steps", None)
    if isinstance(steps, (list, tuple)):
        return any(is_sync(step) for step in steps)
    if getattr(runnable, "func", None) is None:
        return False
    # langchain's RunnableLambda of a plain function has no `afunc`; langgraph's own passthroughs have None.
    return not hasattr(runnable, "afunc") or is_bridge(runnable.afunc)


def is_bridge(afunc: Any) -> bool:
    """langgraph gives a plain function an async form that runs it in the pool."""
    return isinstance(afunc, functools.partial) and getattr(afunc.func, "__name__", "") == "run_in_executor"
