"""A chat with the model of agent.yaml. The answer streams.

    svc invoke chat '{"messages": [{"role": "user", "content": "What is an agent?"}]}' --stream

The service gives a container the name of its model, the address of its gateway and a key of its own. Outside of it,
set OPENAI_API_KEY, and OPENAI_BASE_URL for another provider than OpenAI.
"""

import os

from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph

model = ChatOpenAI(model=os.environ.get("SVC_MODEL", "gpt-4o-mini"))
instructions = ("system", "You are a friendly assistant. Answer in a few sentences.")


async def answer(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke([instructions, *state["messages"]])]}


builder = StateGraph(MessagesState)
builder.add_node(answer)
builder.add_edge(START, "answer")

# The name is fixed: a langgraph project exports its compiled graph as `graph` or `app`.
graph = builder.compile()
