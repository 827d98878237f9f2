"""The memory of a graph between runs: its place, and a needed but missing store.

Without a service that keeps threads (kept/), a checkpointer and a store are the user's choice, and none is added. One
in the container's memory would lose its content silently at each deploy.
"""

from __future__ import annotations

from typing import Any

from ..agent import Threads
from ..entry.exports import article

# A container's files end with it, so a database in a file counts as memory.
IN_CONTAINER = (
    "langgraph.checkpoint.memory",
    "langgraph.checkpoint.sqlite",
    "langgraph.checkpoint.duckdb",
    "langgraph.store.memory",
    "langgraph.store.sqlite",
    "langgraph.store.duckdb",
)

# Their nodes pass a store to tools in any case, so this graph need not use one.
LIBRARIES = ("langgraph.", "langchain")

NO_STORE = (
    "the graph uses langgraph's store but has none, and the service adds none: "
    "compile it with a store that lasts, for example compile(store=PostgresStore(...))"
)
# Without `get` and `delete`: a None can lack these for many other reasons.
STORE_METHODS = {"search", "put", "batch", "list_namespaces"}


def threads_of(graph: Any) -> Threads:
    checkpointer = getattr(graph, "checkpointer", None)
    # With None or False the graph keeps nothing between runs.
    if not checkpointer:
        return "none"
    return "memory" if is_in_container(checkpointer) else "external"


def is_in_container(kept: Any) -> bool:
    """A checkpointer or a store."""
    return any(base.__module__.startswith(IN_CONTAINER) for base in type(kept).__mro__)


def threads_setting(graph: Any) -> str | None:
    checkpointer = getattr(graph, "checkpointer", None)
    return f"checkpointer={type(checkpointer).__name__}" if checkpointer else None


def memory_notices(graph: Any, *, is_per_call: bool) -> list[str]:
    notices: list[str] = []
    saver = article(getattr(graph, "checkpointer", None))
    if threads_of(graph) == "memory" and is_per_call:
        notices.append(f"each call makes a new graph: {saver} made with it forgets its threads at once")
    elif threads_of(graph) == "memory":
        notices.append(f"threads end with the container: the graph's checkpointer is {saver}")
    if not getattr(graph, "store", None) and any(uses_store(node) for node in getattr(graph, "nodes", {}).values()):
        notices.append(NO_STORE)
    return notices


def uses_store(node: Any) -> bool:
    """True when the code of a node's function shows a use of the store."""
    bound = getattr(node, "bound", None)
    functions = (getattr(bound, "func", None), getattr(bound, "afunc", None))
    own = [function for function in functions if not str(getattr(function, "__module__", "")).startswith(LIBRARIES)]
    codes = [code for function in own if (code := getattr(function, "__code__", None))]
    return any("store" in code.co_names or "get_store" in code.co_names or "store" in named(code) for code in codes)


def named(code: Any) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def explain_missing_store(error: BaseException, graph: Any) -> None:
    """Adds the reason to the error's text, because the caller gets only that text."""
    if getattr(graph, "store", None) is not None:
        return
    asked_none = isinstance(error, AttributeError) and error.obj is None
    if asked_none and str(error.name).removeprefix("a") in STORE_METHODS:
        error.args = (f"{error}: {NO_STORE}",)
