"""The serializer of states: langgraph's own, without pickle, and strict.

Only types that the schemas of the graph name are read back. langgraph collects these when it compiles a graph, if its
strict mode is on. The mode is switched on in langgraph alone, not in its package of savers: a saver of the user's code
keeps its own rule.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from ... import log
from ...after_import import after_import
from ...memory.unreadable import unreadable
from ...problems import Problem

# The types that the value being read names, and that are not read back.
_left_out: ContextVar[list[tuple[str, str]] | None] = ContextVar("svc_left_out_types", default=None)
ALLOWED = "msgpack_unregistered_allowed"
# Of langgraph's codes in msgpack: those of a value that begins with the name of its type.
LAST_NAMED = 5
_told: set[tuple[str, str]] = set()
_listens = False


def collect_types_of_schemas() -> None:
    """Before the user's code is imported, because its graphs are compiled then."""

    def be_strict(module: ModuleType) -> None:
        module.STRICT_MSGPACK_ENABLED = True

    after_import("langgraph._internal._serde", be_strict)


def serializer() -> Any:
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

    known = inspect.signature(JsonPlusSerializer.__init__).parameters
    given: dict[str, Any] = {}
    if "pickle_fallback" in known:
        given["pickle_fallback"] = False
    if "allowed_msgpack_modules" in known:
        # A langgraph that does not collect the types of schemas could read nothing of the user's back.
        given["allowed_msgpack_modules"] = None if collects_types() else True
    if not listen() and "__unpack_ext_hook__" in known:
        given["__unpack_ext_hook__"] = looking_hook()
    return JsonPlusSerializer(**given)


def collects_types() -> bool:
    try:
        return importlib.util.find_spec("langgraph._internal._serde") is not None
    except ModuleNotFoundError:
        return False


def listen() -> bool:
    """langgraph's serializer gives the data of a type that it cannot read, and says so to listeners.

    False for a version that says nothing.
    """
    global _listens
    if _listens:
        return True
    try:
        from langgraph.checkpoint.serde.event_hooks import register_serde_event_listener
    except ImportError:
        return False

    def hear(event: Any) -> None:
        named = (event["module"], event["name"])
        if event["kind"] == "msgpack_blocked" or (event["kind"] == ALLOWED and not exists(*named)):
            leave_out(named)

    register_serde_event_listener(hear)
    _listens = True
    return True


def looking_hook() -> Callable[[int, bytes], Any]:
    """For such a version: looks at the names of the types, and reads the value as langgraph does."""
    import ormsgpack
    from langgraph.checkpoint.serde.jsonplus import _msgpack_ext_hook as read

    def look(code: int, data: bytes) -> None:
        inner = ormsgpack.unpackb(data, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)
        is_named = code <= LAST_NAMED and isinstance(inner, list) and len(inner) > 2
        if is_named and isinstance(inner[0], str) and isinstance(inner[1], str) and not exists(inner[0], inner[1]):
            leave_out((inner[0], inner[1]))

    def hook(code: int, data: bytes) -> Any:
        look(code, data)
        return read(code, data)

    return hook


def leave_out(named: tuple[str, str]) -> None:
    left_out = _left_out.get()
    if left_out is not None:
        left_out.append(named)


@contextlib.contextmanager
def reading(thread: str) -> Iterator[None]:
    """Raises `state_unreadable` for what this version of the agent cannot read. The stored state stays."""
    left_out: list[tuple[str, str]] = []
    token = _left_out.set(left_out)
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        raise unreadable(thread, f"{type(error).__name__}: {error}") from error
    finally:
        _left_out.reset(token)
    for module, name in left_out:
        if not exists(module, name):
            raise unreadable(thread, f"it has a {module}.{name}, which this version of the agent does not have")
        if (module, name) not in _told:
            _told.add((module, name))
            message = f"no schema of the graph names the type {module}.{name}, so it is read back as plain data"
            log.warning("notice", message=message)


def exists(module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    if loaded is not None:
        return hasattr(loaded, name)
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError, AttributeError):
        return False
