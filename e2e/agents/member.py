"""A member of an orchestration. Its text says what it does: `slow 2`, `fail`, `huge`, `ask`, `say`, `nothing`, `recall`, or any other
text, which it repeats. With `say` a model answers in pieces. After the first one it waits for a call with `go`. A text with `hold ann1`
keeps the member ann until another one says `release ann1`.
"""

import asyncio
import json
import operator
import os
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Annotated, Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from langgraph.checkpoint.memory import InMemorySaver

NAME = os.environ["NAME"]
gone = asyncio.Event()


class InPieces(BaseChatModel):
    """Says a word in three pieces. Instead of `mail` it says an address, which is cut in the middle."""

    @property
    def _llm_type(self) -> str:
        return "in pieces"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("".join(pieces_of(messages))))])

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for number, piece in enumerate(pieces_of(messages)):
            if number == 1:
                await gone.wait()
                gone.clear()
            yield ChatGenerationChunk(message=AIMessageChunk(piece))


def pieces_of(messages: Any) -> list[str]:
    word = "someone@example.com" if messages[-1].content == "mail" else messages[-1].content
    return [f"{NAME} says ", word[:6], word[6:]]


class In(TypedDict):
    text: str


class Out(TypedDict):
    answer: str


class State(In, Out):
    heard: Annotated[list[str], operator.add]  # kept with the thread


gates: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)


async def work(state: State) -> dict:
    text = state["text"]
    if text.startswith("{"):
        return {"answer": lead(json.loads(text))}
    for gate in re.findall(rf"hold ({NAME}\d+)", text):
        await gates[gate].wait()
    for part in text.split(" then "):
        word, _, rest = part.partition(" ")
        if word == "release":
            gates[rest].set()
        if word == "nothing":
            return {}
        if word == "recall":
            return {"answer": json.dumps(state.get("heard", []))}
        if word == "slow":
            await asyncio.sleep(float(rest))
        if word == "fail" and (rest in ("", NAME)):
            raise ValueError(f"{NAME} fails")
        if word == "say":
            return {"answer": (await InPieces().ainvoke(rest)).content}
        if word == "go":
            gone.set()
        if word == "huge":
            return {"answer": "x" * 2_000_000}
        if word == "ask":
            return {"answer": f"{NAME} heard {interrupt('a person')}"}
    return {"answer": f"{NAME}({text})", "heard": [text]}


def lead(task: dict) -> str:
    """As a merge agent it lists the answers. As a supervisor it calls every worker once, and then it answers."""
    if "answers" in task:
        said = {name: said_by(one) for name, one in task["answers"].items()}
        return f"{NAME} merged {json.dumps(said, sort_keys=True)}"
    if not task["results"]:
        return json.dumps({"calls": [{"agent": one["agent"], "input": task["task"]} for one in task["workers"]]})
    said = [said_by(one) for one in task["results"]]
    return json.dumps({"answer": f"{NAME} heard {'; '.join(said)}"})


def said_by(one: dict) -> str:
    output = one.get("output", one["status"])
    if not isinstance(output, dict):
        return output
    return output["answer"] if "answer" in output else output["messages"][-1]["content"]


builder = StateGraph(State, input_schema=In, output_schema=Out)
builder.add_node("work", work)
builder.add_edge(START, "work")
builder.add_edge("work", END)
graph = builder.compile(checkpointer=InMemorySaver())
