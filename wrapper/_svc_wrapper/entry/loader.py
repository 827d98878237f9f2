"""Imports the user's entry file and finds what it exports.

A failure is a value with the codes of `svc validate`. So GET /ready, the deploy step and the command line
describe the same fault in the same words.
"""

from __future__ import annotations

import asyncio
import os
import re
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from ..agent import Agent, JsonObject
from ..crewai.kept.defaults import set_defaults
from ..langgraph.kept.state_types import collect_types_of_schemas
from ..memory.door import Door
from .entry import Entry
from .entry_import import import_entry
from .exports import WrongExport


@dataclass(frozen=True)
class LoadFailure:
    code: str
    message: str
    traceback: str | None = None
    missing_env: list[str] = field(default_factory=list)

    def body(self) -> JsonObject:
        body: JsonObject = {"code": self.code, "message": self.message}
        if self.traceback:
            body["traceback"] = self.traceback
        if self.missing_env:
            body["missing_env"] = self.missing_env
        return body


def load_agent(
    framework: str, entry: Entry, user_loop: asyncio.AbstractEventLoop, door: Door | None = None
) -> Agent | LoadFailure:
    """Runs the user's module level code off the main thread, because that can take long or never return.

    With the door, the service keeps what the agent has for later calls.
    """
    if not entry.path.is_file():
        return LoadFailure("missing_file", missing_file(entry))
    try:
        if door is not None:
            # Without the framework itself: the user's code sets its environment before it imports that.
            (collect_types_of_schemas if framework == "langgraph" else set_defaults)()
        module = import_entry(entry)
        # Imported here, because an image has one of the two frameworks.
        if framework == "langgraph":
            from ..langgraph import agent as adapter
        else:
            from ..crewai import agent as adapter
        kept = adapter.memory_of(door, entry.app_folder) if door is not None else {}
        if entry.name:
            return named_agent(adapter, entry, module, user_loop, kept)
        return exported_agent(adapter, module, kept)
    except BaseException as error:  # also SystemExit: a module that calls exit() has failed to load
        return failure_of(entry, "import_error", f"{entry.file} could not be imported", error)


def missing_file(entry: Entry) -> str:
    place = "is missing beside agent.yaml" if entry.file == Entry.file else "is not in the project"
    return f"{entry.file} {place}"


def exported_agent(adapter: Any, module: ModuleType, kept: JsonObject) -> Agent | LoadFailure:
    """By the spec's rule: the first of the framework's names with a usable value."""
    present = [name for name in adapter.EXPORTS if getattr(module, name, None) is not None]
    if not present:
        names = " or ".join(f"'{name}'" for name in adapter.EXPORTS)
        return LoadFailure("missing_export", f"No {names} variable found")

    refusals: list[str] = []
    for name in present:
        exported: Any = getattr(module, name)
        refusal = adapter.refusal_of(exported)
        if refusal is None:
            return adapter.wrap(name, exported, **kept)
        refusals.append(f"'{name}' {refusal}")
    return LoadFailure("wrong_export", "; ".join(refusals))


def named_agent(
    adapter: Any, entry: Entry, module: ModuleType, user_loop: asyncio.AbstractEventLoop, kept: JsonObject
) -> Agent | LoadFailure:
    exported: Any = getattr(module, entry.name, None)
    if exported is None:
        usable = [f"'{name}'" for name, value in vars(module).items() if adapter.refusal_of(value) is None]
        hint = f"; it has {', '.join(usable)}" if usable else ""
        return LoadFailure("missing_export", f"No '{entry.name}' found in {entry.file}{hint}")
    try:
        return adapter.wrap_entrypoint(entry.name, exported, user_loop, **kept)
    except WrongExport as wrong:
        return LoadFailure("wrong_export", str(wrong))
    except BaseException as error:
        return failure_of(entry, "entrypoint_error", f"'{entry.name}' of {entry.file} could not be made", error)


def failure_of(entry: Entry, code: str, what: str, error: BaseException) -> LoadFailure:
    missing_env = missing_variables(error)
    message = f"{what}: {type(error).__name__}: {error}"
    if missing_env:
        message += f" (not set: {', '.join(missing_env)})"
    return LoadFailure(code, message, user_traceback(entry, error), missing_env)


def user_traceback(entry: Entry, error: BaseException) -> str:
    """Starts at the user's code: the frames above it are the wrapper's and the import system's."""
    if isinstance(error, SyntaxError):
        return "".join(traceback.format_exception_only(type(error), error))
    folder = entry.app_folder.resolve()
    trace = error.__traceback__
    while trace and not Path(trace.tb_frame.f_code.co_filename).is_relative_to(folder):
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace or error.__traceback__))


VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")


def missing_variables(error: BaseException) -> list[str]:
    """The names of missing environment variables behind the failure.

    Either `os.environ["NAME"]` failed, or a client's message names an unset environment variable, as those of
    openai and anthropic do.
    """
    text = str(error)
    raised_by_environ = isinstance(error, KeyError) and any(
        frame.filename == os.__file__ for frame in traceback.extract_tb(error.__traceback__)
    )
    about_environment = raised_by_environ or re.search(r"environment variable|env var|api[_ ]key", text, re.IGNORECASE)
    if not about_environment:
        return []
    named = [str(error.args[0])] if raised_by_environ else VARIABLE.findall(text)
    return sorted({name for name in named if name not in os.environ})
