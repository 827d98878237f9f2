"""Between a graph and its chat models of langchain.

Each call of a chat model passes here. Its messages that are in the `messages` of the graph's state are narrowed; the
graph itself is neither changed nor asked. Other messages, such as those of a tool that asks a model by itself, pass.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

from ...after_import import after_import
from .units import Limits, Unit, units_of

CHANNEL = "messages"
# langgraph's name for the function that reads the state of the running step.
READ = "__pregel_read"


class Narrowed(list):
    """A model that does not stream gives the messages of its `stream` to its own `invoke`."""


@dataclass(frozen=True)
class Part:
    """What a model gets in place of all units that can go."""

    kept: Sequence[Unit]
    # A message of langchain in the place of the others, before the kept ones.
    summary: Any = None


class Narrowing(Protocol):
    limits: Limits

    def narrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part:
        """Of units that can go, and that the limits do not allow. Can block."""

    async def anarrow(self, messages: Sequence[Any], units: Sequence[Unit]) -> Part: ...


def narrow_models(narrowing: Narrowing) -> None:
    """Before the user's code is imported."""
    after_import("langchain_core.language_models.chat_models", functools.partial(change, narrowing))


def change(narrowing: Narrowing, module: ModuleType) -> None:
    model = module.BaseChatModel
    model.invoke = narrowed(narrowing, model.invoke)
    model.stream = narrowed(narrowing, model.stream)
    model.ainvoke = awaited(narrowing, model.ainvoke)
    model.astream = streamed(narrowing, model.astream)


def narrowed(narrowing: Narrowing, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def with_part(model: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
        given = Given.over(narrowing.limits, input, config)
        if given is not None:
            input = given.narrowed_to(narrowing.narrow(given.messages, given.can_go))
        return call(model, input, config, **kwargs)

    return with_part


def awaited(narrowing: Narrowing, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def with_part(model: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
        return await call(model, await apart(narrowing, input, config), config, **kwargs)

    return with_part


def streamed(narrowing: Narrowing, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    async def with_part(model: Any, input: Any, config: Any = None, **kwargs: Any) -> Any:
        async for chunk in call(model, await apart(narrowing, input, config), config, **kwargs):
            yield chunk

    return with_part


async def apart(narrowing: Narrowing, input: Any, config: Any) -> Any:
    given = Given.over(narrowing.limits, input, config)
    if given is None:
        return input
    return given.narrowed_to(await narrowing.anarrow(given.messages, given.can_go))


class Given:
    """The messages of one call of a model, and which of them can go."""

    def __init__(self, messages: Sequence[Any], of_state: Collection[int]) -> None:
        self.messages = messages
        self.units = units_of(messages, of_state)
        self.can_go = [unit for unit in self.units if unit.can_go]

    @staticmethod
    def over(limits: Limits, input: Any, config: Any) -> Given | None:
        """None for a call that has nothing of a graph's state, or no more of it than the limits allow."""
        if isinstance(input, (str, Narrowed)):
            return None
        state = messages_of_state(config)
        if not state:
            return None
        from langchain_core.messages.utils import convert_to_messages

        written = input.to_messages() if hasattr(input, "to_messages") else list(input)
        messages = convert_to_messages(written)
        objects = {id(message) for message in state}
        names = {name for message in state if (name := getattr(message, "id", None))}
        of_state = {
            place
            for place, (as_given, message) in enumerate(zip(written, messages, strict=True))
            if id(as_given) in objects or message.id in names
        }
        given = Given(messages, of_state)
        return None if limits.allow(given.can_go) else given

    def narrowed_to(self, part: Part) -> Narrowed:
        """In the order of the call. The summary is where the first message that can go was."""
        stays = [unit for unit in self.units if not unit.can_go]
        places = sorted(place for unit in (*stays, *part.kept) for place in unit.places)
        first = self.can_go[0].places[0]
        before = [self.messages[place] for place in places if place < first]
        after = [self.messages[place] for place in places if place >= first]
        return Narrowed([*before, *([] if part.summary is None else [part.summary]), *after])


def messages_of_state(config: Any) -> list[Any]:
    """Of the step that runs. Empty outside a graph, and for a state without a list of messages."""
    from langchain_core.runnables.config import ensure_config

    read = ensure_config(config).get("configurable", {}).get(READ)
    if read is None:
        return []
    try:
        found = read(CHANNEL)
    except KeyError:
        return []
    return list(found) if isinstance(found, (list, tuple)) else []
