"""The source of a call's graph: an existing graph, or a function of the user that makes it.

It accepts the same as langgraph's own server: a compiled graph, a StateGraph, and a factory. A factory without
parameters that returns a graph is called once. A factory with the config, or one that returns a context
manager, is called for each call. So its resources are open for that call.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from ..agent import JsonObject
from ..entry.exports import WrongExport, article

RETURNED = "a compiled graph or a StateGraph"
ACCEPTED = f"{RETURNED}, or a function that returns one"


class MakeRuntime(Protocol):
    """Makes the `ServerRuntime` of a call, where the service has a store for it."""

    def __call__(self, config: JsonObject, *, for_execution: bool) -> Any: ...


class GraphSource(Protocol):
    # True when each call gets its own graph.
    is_per_call: bool

    def open(self, config: JsonObject) -> contextlib.AbstractAsyncContextManager[Any]:
        """The graph of one call with this config, on the user's loop."""


@dataclass(frozen=True)
class OneGraph:
    graph: Any
    is_per_call = False

    @contextlib.asynccontextmanager
    async def open(self, _: JsonObject) -> AsyncIterator[Any]:
        yield self.graph


@dataclass(frozen=True)
class Factory:
    name: str
    function: Callable[..., Any]
    # The parameter that takes langgraph's config; None when there is none.
    config_parameter: str | None
    # The parameter that takes a `ServerRuntime`, and what makes it.
    runtime_parameter: str | None = None
    make_runtime: MakeRuntime | None = None
    is_per_call = True

    @property
    def takes_call(self) -> bool:
        return self.config_parameter is not None or self.runtime_parameter is not None

    @contextlib.asynccontextmanager
    async def open(self, config: JsonObject) -> AsyncIterator[Any]:
        async with entered(await self.made(config, for_execution=True)) as made:
            yield self.compiled(made)

    async def made(self, config: JsonObject, *, for_execution: bool) -> Any:
        # Factories read this key of langgraph's server. Without it some return a graph that only has the structure.
        configurable = {**config.get("configurable", {}), "__is_for_execution__": for_execution}
        given: JsonObject = (
            {self.config_parameter: {**config, "configurable": configurable}} if self.config_parameter else {}
        )
        if self.runtime_parameter and self.make_runtime:
            given[self.runtime_parameter] = self.make_runtime(config, for_execution=for_execution)
        if inspect.iscoroutinefunction(self.function):
            return await self.function(**given)
        # Not on the loop: it can take long, and it can call asyncio.run() itself.
        made = await in_thread(lambda: self.function(**given))
        return await made if inspect.isawaitable(made) else made

    def compiled(self, made: Any) -> Any:
        if is_graph(made):
            return made
        if is_builder(made):
            return made.compile()
        raise WrongExport(f"'{self.name}' returned {article(made)}; it may return {RETURNED}")


def read_source(
    name: str, exported: Any, loop: asyncio.AbstractEventLoop, make_runtime: MakeRuntime | None = None
) -> tuple[GraphSource, Any]:
    """The source, and one of its graphs for the schemas. Raises WrongExport, and exceptions of a factory."""
    if is_graph(exported):
        return OneGraph(exported), exported
    if is_builder(exported):
        graph = exported.compile()
        return OneGraph(graph), graph
    factory = read_factory(name, exported, make_runtime)
    return asyncio.run_coroutine_threadsafe(try_factory(factory), loop).result()


def is_graph(value: Any) -> bool:
    needed = ("ainvoke", "astream", "aget_state")
    return not isinstance(value, type) and all(callable(getattr(value, method, None)) for method in needed)


def is_builder(value: Any) -> bool:
    return not isinstance(value, type) and callable(getattr(value, "compile", None)) and hasattr(value, "add_node")


def read_factory(name: str, exported: Any, make_runtime: MakeRuntime | None) -> Factory:
    # Tools and models of langchain are callable too, but make no graph.
    if isinstance(exported, type) or not callable(exported) or hasattr(exported, "invoke"):
        kind = f"the class {exported.__name__}" if isinstance(exported, type) else article(exported)
        raise WrongExport(f"'{name}' is {kind}; an entrypoint may be {ACCEPTED}")
    if inspect.isasyncgenfunction(exported) or inspect.isgeneratorfunction(exported):
        raise WrongExport(f"'{name}' is a generator; put @contextlib.asynccontextmanager above it")
    named = parameters_of(inspect.signature(exported))
    runtime = next((parameter for parameter in named if "ServerRuntime" in annotation_text(parameter)), None)
    if runtime is not None and make_runtime is None:
        raise WrongExport(
            f"'{name}' takes '{runtime.name}', a ServerRuntime, which only langgraph's own server has; "
            "a factory may take the config"
        )
    config = config_parameter(name, [parameter for parameter in named if parameter is not runtime])
    return Factory(name, exported, config, runtime.name if runtime else None, make_runtime)


def parameters_of(signature: inspect.Signature) -> list[inspect.Parameter]:
    return [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def config_parameter(name: str, parameters: list[inspect.Parameter]) -> str | None:
    required = [parameter for parameter in parameters if parameter.default is parameter.empty]
    named = [
        parameter
        for parameter in parameters
        if parameter.name == "config" or "RunnableConfig" in annotation_text(parameter)
    ]
    # As on langgraph's server, a single parameter of any name is the config.
    takes = named[0] if named else required[0] if len(required) == 1 else None
    others = [f"'{parameter.name}'" for parameter in required if parameter is not takes]
    if others or (takes and takes.kind is takes.POSITIONAL_ONLY):
        raise WrongExport(f"'{name}' takes {', '.join(others) or takes}; a factory takes no parameter or the config")
    return takes.name if takes else None


def annotation_text(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    return annotation if isinstance(annotation, str) else f"{annotation} {getattr(annotation, '__name__', '')}"


async def try_factory(factory: Factory) -> tuple[GraphSource, Any]:
    """Calls it with an empty config, as langgraph's server does to read the schemas."""
    made = await factory.made({}, for_execution=False)
    if factory.takes_call or is_context_manager(made):
        async with entered(made) as graph:
            return factory, factory.compiled(graph)
    graph = factory.compiled(made)
    return OneGraph(graph), graph


def is_context_manager(value: Any) -> bool:
    return hasattr(value, "__aenter__") or hasattr(value, "__enter__")


@contextlib.asynccontextmanager
async def entered(made: Any) -> AsyncIterator[Any]:
    if hasattr(made, "__aenter__"):
        async with made as value:
            yield value
    elif hasattr(made, "__enter__"):
        value = await in_thread(made.__enter__)
        try:
            yield value
        except BaseException as error:
            failure = error
            await in_thread(lambda: made.__exit__(type(failure), failure, failure.__traceback__))
            raise
        await in_thread(lambda: made.__exit__(None, None, None))
    else:
        yield made


async def in_thread(work: Callable[[], Any]) -> Any:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(None, context.run, with_loop, work)


def with_loop(work: Callable[[], Any]) -> Any:
    """With a loop that does not run yet, as in the main thread of a script."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return work()
    finally:
        asyncio.set_event_loop(None)
        loop.close()
