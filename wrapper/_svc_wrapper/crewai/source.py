"""Finds the crew, agent or flow of an entrypoint: the object, or the result of its `@CrewBase` class or
function.
"""

from __future__ import annotations

import asyncio
import inspect
from types import CodeType
from typing import Any

from ..entry.exports import WrongExport, article

RETURNED = "a Crew, an Agent or a Flow"
ACCEPTED = f"{RETURNED}, a class with @CrewBase, a Flow class, or a function that returns one"


def read_crew(name: str, exported: Any, loop: asyncio.AbstractEventLoop) -> Any:
    """Raises WrongExport, and exceptions of the user's code."""
    if isinstance(exported, type):
        return from_class(name, exported)
    if is_runnable(exported):
        return exported
    if callable(getattr(exported, "crew", None)):
        return from_crew_base(name, exported)
    if inspect.isroutine(exported):
        return from_function(name, exported, loop)
    raise WrongExport(f"'{name}' is {article(exported)}; an entrypoint may be {ACCEPTED}")


def is_runnable(value: Any) -> bool:
    return not isinstance(value, type) and callable(getattr(value, "kickoff", None))


def is_flow_class(value: Any) -> bool:
    return isinstance(value, type) and "Flow" in {base.__name__ for base in value.__mro__}


def from_class(name: str, exported: type) -> Any:
    if is_flow_class(exported):
        return exported()
    if callable(getattr(exported, "crew", None)):
        return from_crew_base(name, exported())
    raise WrongExport(f"'{name}' is the class {exported.__name__}; an entrypoint may be {ACCEPTED}")


def from_crew_base(name: str, instance: Any) -> Any:
    """The class of `crewai create crew`: crew() combines agents and tasks from config/*.yaml."""
    made = instance.crew()
    if is_runnable(made):
        return made
    raise WrongExport(f"crew() of '{name}' returned {article(made)}, not a Crew")


def from_function(name: str, function: Any, loop: asyncio.AbstractEventLoop) -> Any:
    required = [
        f"'{parameter.name}'"
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        raise WrongExport(
            f"'{name}' takes {', '.join(required)}; a function that returns a crew or a flow takes no parameters"
        )
    if starts_crew(getattr(inspect.unwrap(function), "__code__", None)):
        # A trial call would run the whole crew.
        raise WrongExport(
            f"'{name}' starts the crew itself; name what it starts instead, for example the @CrewBase or Flow class"
        )
    made = function()
    if inspect.isawaitable(made):
        made = asyncio.run_coroutine_threadsafe(awaited(made), loop).result()
    if is_runnable(made):
        return made
    if callable(getattr(made, "crew", None)):
        return from_crew_base(name, made)
    raise WrongExport(f"'{name}' returned {article(made)}; it may return {RETURNED}")


def starts_crew(code: CodeType | None) -> bool:
    """Like run(), train(), replay() and test() in main.py of `crewai create`."""
    names = set(code.co_names) if code else set()
    kicks_off = any(name.removeprefix("a").startswith("kickoff") for name in names)
    return kicks_off or ("crew" in names and not names.isdisjoint({"train", "replay", "test"}))


async def awaited(made: Any) -> Any:
    return await made
