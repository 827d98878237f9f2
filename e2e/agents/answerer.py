"""A graph that answers a question, asks one back, fails, waits, or answers in pieces, for the tests of A2A.
After the first piece it waits for the question `go`.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


PIECES = ("Pieces ", "of the ", "answer")
gone = asyncio.Event()


class InPieces(BaseChatModel):
    @property
    def _llm_type(self) -> str:
        return "in pieces"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("".join(PIECES)))])

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for number, piece in enumerate(PIECES):
            if number == 1:
                await gone.wait()
                gone.clear()
            yield ChatGenerationChunk(message=AIMessageChunk(piece))


class Input(TypedDict):
    question: str


class State(Input, total=False):
    answer: str


class Output(TypedDict):
    answer: str


async def respond(state: State) -> dict:
    question = state["question"]
    if question == "which":
        return {"answer": f"You chose {interrupt('Tea or coffee?')}."}
    if question == "fail":
        raise LookupError("no such thing")
    if question == "pieces":
        return {"answer": (await InPieces().ainvoke(question)).content}
    if question == "go":
        gone.set()
    if question == "wait":
        await asyncio.Event().wait()
    return {"answer": f"You asked: {question}"}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(respond)
builder.add_edge(START, "respond")
builder.add_edge("respond", END)
graph = builder.compile(checkpointer=InMemorySaver())
