"""The `ServerRuntime` that a factory can take, as on langgraph's own server: the store, the user and the context.

Its classes are in the package of langgraph's clients, and in beta.
"""

from __future__ import annotations

from typing import Any

from ...agent import JsonObject

CREATE_RUN = "threads.create_run"
READ_SCHEMAS = "assistants.read"


class CallingUser:
    """The caller of the run, in the form of langgraph's users."""

    def __init__(self, caller: JsonObject) -> None:
        self.caller = caller
        self.identity = str(caller.get("sub"))
        self.display_name = str(caller.get("email") or self.identity)
        self.is_authenticated = True
        # The service decides before the call. Its teams are under their own name.
        self.permissions: list[str] = []

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key) if key in vars(self) else self.caller[key]

    def __contains__(self, key: str) -> bool:
        return key in vars(self) or key in self.caller

    def __iter__(self) -> Any:
        return iter(("identity", "display_name", "is_authenticated", "permissions"))


def server_runtime(store: Any, config: JsonObject, *, for_execution: bool) -> Any:
    from langgraph_sdk.runtime import _ExecutionRuntime, _ReadRuntime

    configurable = config.get("configurable", {})
    caller = configurable.get("svc_caller")
    user = CallingUser(caller) if isinstance(caller, dict) else None
    if not for_execution:
        return _ReadRuntime(access_context=READ_SCHEMAS, user=user, store=store)
    context = {name: value for name, value in configurable.items() if not name.startswith(("thread_id", "svc_", "__"))}
    return _ExecutionRuntime(access_context=CREATE_RUN, user=user, store=store, context=context)
