"""Answers with a model.

The service puts the address of its model gateway and the agent's own key into the environment. The code has neither.
"""

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

model = ChatOpenAI(model="gpt-4o-mini", temperature=0)
instruction = "You answer questions about broken things, in two sentences at most."


class Input(TypedDict):
    question: str


class Output(TypedDict):
    answer: str


class State(Input, Output):
    pass


async def reply(state: State) -> dict:
    said = await model.ainvoke([("system", instruction), ("user", state["question"])])
    return {"answer": said.text}


builder = StateGraph(State, input_schema=Input, output_schema=Output)
builder.add_node(reply)
builder.add_edge(START, "reply")
builder.add_edge("reply", END)

graph = builder.compile()
