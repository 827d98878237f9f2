"""A memory config narrows what a model gets of a graph's messages, and leaves the state as it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import chat_models
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.prompts import ChatPromptTemplate
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from pydantic import Field

from _svc_wrapper.langgraph.narrow.model_input import change
from _svc_wrapper.langgraph.narrow.summarizer import Summarizer
from _svc_wrapper.langgraph.narrow.summary import Summary, cuts_of
from _svc_wrapper.langgraph.narrow.units import Limits, units_of
from _svc_wrapper.langgraph.narrow.window import Window
from _svc_wrapper.memory.door import Door
from _svc_wrapper.problems import Problem
from recording_gateway import ANSWER, RecordingGateway
from wrapper_process import AGENTS, WrapperProcess

METHODS = ("invoke", "stream", "ainvoke", "astream")


class Listening(BaseChatModel):
    """Keeps what it was given."""

    heard: list[list[BaseMessage]] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        self.heard.append(messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(f"answer {len(self.heard)}"))])

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    @property
    def _llm_type(self) -> str:
        return "listening"


@pytest.fixture
def narrowed() -> Iterator[Any]:
    """Puts a narrowing between graphs and models until the end of the test."""
    before = {name: getattr(chat_models.BaseChatModel, name) for name in METHODS}
    yield lambda narrowing: change(narrowing, chat_models)
    for name, method in before.items():
        setattr(chat_models.BaseChatModel, name, method)


def texts(messages: list[BaseMessage]) -> list[str]:
    return [str(message.content) for message in messages]


def talk(count: int) -> list[BaseMessage]:
    return [HumanMessage(f"m{n}") if n % 2 else AIMessage(f"m{n}") for n in range(1, count + 1)]


def graph_of(node: Any) -> Any:
    return StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()


WINDOW = Window(Limits(3, None))


def test_a_model_gets_the_system_message_and_the_newest_part_and_the_state_stays(narrowed: Any) -> None:
    narrowed(WINDOW)
    model = Listening()
    system, reminder = SystemMessage("be kind"), SystemMessage("now")
    graph = graph_of(lambda state: {"messages": [model.invoke([system, *state["messages"], reminder])]})
    result = graph.invoke({"messages": talk(7)})
    assert texts(model.heard[0]) == ["be kind", "m5", "m6", "m7", "now"]
    assert texts(result["messages"]) == [f"m{n}" for n in range(1, 8)] + ["answer 1"]


def test_it_acts_on_each_way_to_call_a_model(narrowed: Any) -> None:
    narrowed(WINDOW)
    model = Listening()
    prompt = ChatPromptTemplate([("system", "be kind"), ("placeholder", "{messages}")])

    def sync(state: MessagesState) -> dict:
        list(model.stream(state["messages"]))
        (prompt | model).invoke({"messages": state["messages"]})
        return {}

    async def later(state: MessagesState) -> dict:
        await model.ainvoke(state["messages"])
        [_ async for _ in model.astream(state["messages"])]
        return {}

    graph_of(sync).invoke({"messages": talk(7)})
    asyncio.run(graph_of(later).ainvoke({"messages": talk(7)}))
    kept = ["m5", "m6", "m7"]
    assert [texts(one) for one in model.heard] == [kept, ["be kind", *kept], kept, kept]


def test_messages_that_are_not_in_the_state_and_calls_outside_a_graph_pass(narrowed: Any) -> None:
    narrowed(WINDOW)
    model = Listening()
    graph_of(lambda _: {"messages": [model.invoke(talk(9))]}).invoke({"messages": talk(7)})
    model.invoke(talk(9))
    assert [len(heard) for heard in model.heard] == [9, 9]


def test_messages_of_a_plain_list_in_the_state_are_narrowed_too(narrowed: Any) -> None:
    narrowed(WINDOW)
    model = Listening()

    from typing_extensions import TypedDict

    class State(TypedDict):
        messages: list[dict]

    def node(state: State) -> dict:
        model.invoke(state["messages"])
        return {}

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node").compile()
    said = [{"role": "user" if n % 2 else "assistant", "content": f"m{n}"} for n in range(1, 8)]
    graph.invoke({"messages": said})
    assert texts(model.heard[0]) == ["m5", "m6", "m7"]


def test_a_prebuilt_agent_keeps_its_task_and_each_result_of_a_tool_with_its_call(narrowed: Any) -> None:
    narrowed(Window(Limits(2, None)))

    class Caller(Listening):
        def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
            self.heard.append(messages)
            count = len(self.heard)
            calls = [{"name": "look", "args": {}, "id": f"{count}-{n}"} for n in range(2)] if count < 4 else []
            return ChatResult(generations=[ChatGeneration(message=AIMessage(f"a{count}", tool_calls=calls))])

    def look() -> str:
        """Looks."""
        return "seen"

    model = Caller()
    agent = create_react_agent(model, [look], prompt="be kind")
    result = agent.invoke({"messages": [HumanMessage("old"), AIMessage("hello"), HumanMessage("task")]})
    for heard in model.heard:
        assert [message.content for message in heard if message.type in ("system", "human")] == ["be kind", "task"]
        called = {call["id"] for message in heard for call in getattr(message, "tool_calls", [])}
        assert called == {message.tool_call_id for message in heard if message.type == "tool"}
    assert [message.content for message in model.heard[3]] == ["be kind", "task", "a3", "seen", "seen"]
    assert len(result["messages"]) == 3 + 3 * 3 + 1


def test_tokens_are_a_limit_and_the_last_message_always_stays(narrowed: Any) -> None:
    narrowed(Window(Limits(None, 20)))
    model = Listening()
    long = HumanMessage("x" * 1000)
    graph_of(lambda state: {"messages": [model.invoke(state["messages"])]}).invoke({"messages": [*talk(4), long]})
    graph_of(lambda state: {"messages": [model.invoke(state["messages"])]}).invoke({"messages": [long, *talk(3)]})
    assert [texts(one) for one in model.heard] == [[long.content], ["m1", "m2", "m3"]]


def test_results_belong_to_their_call_also_when_a_message_is_between_them() -> None:
    call = AIMessage("", tool_calls=[{"name": "a", "args": {}, "id": "1"}, {"name": "b", "args": {}, "id": "2"}])
    messages = [
        HumanMessage("x"),
        call,
        ToolMessage("1", tool_call_id="1"),
        AIMessage("so"),
        ToolMessage("2", tool_call_id="2"),
    ]
    assert [unit.places for unit in units_of(messages, range(5))] == [(0,), (1, 2, 3, 4)]
    assert [unit.can_go for unit in units_of(messages, [0, 1, 2, 3])] == [True, False]


@pytest.fixture
def gateway() -> Iterator[RecordingGateway]:
    with RecordingGateway() as gateway:
        yield gateway


def summary_of(gateway: RecordingGateway, most: int = 6, format: Any = "openai") -> Summary:
    return Summary(Limits(most, None), Summarizer(Door(gateway.url, "key"), "models/small", format))


def test_a_summary_stands_for_the_rest_and_serves_many_calls(narrowed: Any, gateway: RecordingGateway) -> None:
    narrowed(summary_of(gateway))
    model = Listening()
    graph = graph_of(lambda state: {"messages": [model.invoke([SystemMessage("be kind"), *state["messages"]])]})
    said = talk(7)
    for _ in range(4):
        said = [*graph.invoke({"messages": said})["messages"], HumanMessage(f"m{len(said) + 2}")]
    summary = f"Summary of our conversation until now:\n{ANSWER}"
    assert [texts(one) for one in model.heard[:2]] == [
        ["be kind", summary, "m5", "m6", "m7"],
        ["be kind", summary, "m5", "m6", "m7", "answer 1", "m9"],
    ]
    asked = [json.loads(one.body) for one in gateway.requests]
    assert len(asked) == 2
    assert {one["model"] for one in asked} == {"models/small"}
    first, second = (one["messages"][1]["content"] for one in asked)
    assert first == "human: m1\nai: m2\nhuman: m3\nai: m4"
    assert second.startswith(f"Summary of what was said before:\n{ANSWER}\n\nThen:\nhuman: m5")
    assert len(said) == 7 + 4 * 2
    assert gateway.requests[0].authorization == "Bearer key"


def test_another_process_makes_the_summary_of_a_long_conversation_in_several_calls(
    narrowed: Any, gateway: RecordingGateway
) -> None:
    narrowed(summary_of(gateway))
    model = Listening()
    # Each message is a quarter of what one call gets.
    long = [type(one)(f"{one.content} {'x' * 16_000}") for one in talk(31)]
    graph_of(lambda state: {"messages": [model.invoke(state["messages"])]}).invoke({"messages": long})
    asked = [json.loads(one.body)["messages"][1]["content"] for one in gateway.requests]
    assert max(map(len, asked)) < 70_000
    told = "".join(asked)
    before = {f"m{n} " for n in range(1, 32)} - {text[:4].strip() + " " for text in texts(model.heard[0])[1:]}
    assert all(told.count(f": {name}") == 1 for name in before)
    assert all(one.startswith(f"Summary of what was said before:\n{ANSWER}") for one in asked[1:])


def test_a_summary_that_cannot_be_made_fails_the_call_by_name(narrowed: Any) -> None:
    with RecordingGateway() as gone:
        narrowing = summary_of(gone, format="anthropic")
    narrowing.summarizer.door.ask = refusing  # the gateway's refusal, as the door reads it
    narrowed(narrowing)
    model = Listening()
    with pytest.raises(Problem) as raised:
        graph_of(lambda state: {"messages": [model.invoke(state["messages"])]}).invoke({"messages": talk(9)})
    assert raised.value.code == "summary_failed"
    assert "models/small: the budget is spent" in raised.value.detail
    assert model.heard == []


def refusing(*_: Any, **__: Any) -> bytes:
    from _svc_wrapper.memory.door import refusal_of

    raise refusal_of(429, b'{"error": {"type": "rate_limit_error", "message": "the budget is spent"}}')


def test_cuts_of_a_longer_conversation_begin_with_those_of_a_shorter_one() -> None:
    def cuts(count: int) -> list[int]:
        return cuts_of(units_of(talk(count), range(count)), Limits(4, None))

    assert cuts(4) == []
    for count in range(5, 30):
        assert cuts(count)[: len(cuts(count - 1))] == cuts(count - 1)
        assert count - cuts(count)[-1] <= 4


def test_an_unmodified_agent_in_a_container_sends_its_model_the_narrowed_part(gateway: RecordingGateway) -> None:
    said = {"kind": "summary", "max_messages": 2, "model": "models/small", "format": "openai"}
    environment = {
        "SVC_SERVICE_URL": gateway.url,
        "SVC_GATEWAY_KEY": "key",
        "SVC_TRACES": "off",
        "SVC_MEMORY_MESSAGES": json.dumps(said),
    }
    messages = [{"role": "user" if n % 2 else "assistant", "content": f"m{n}"} for n in range(1, 6)]
    with WrapperProcess(AGENTS / "talking_graph", **environment) as wrapper:
        wrapper.ready()
        body = {"input": {"messages": messages}}
        answer = wrapper.client.post("/invoke", json=body, headers={"X-Svc-Run": "token-of-run"}).json()
    summary = f"Summary of our conversation until now:\n{ANSWER}"
    given = f"system be kind | human {summary} | human m5"
    assert [one["content"] for one in answer["output"]["messages"]] == [*(f"m{n}" for n in range(1, 6)), given]
    assert [(one.path, one.run) for one in gateway.requests] == [("/v1/chat/completions", "token-of-run")]
