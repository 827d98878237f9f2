from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from chat_agent.context import Context

from .words import signature


async def call_model(state: MessagesState, runtime: Runtime[Context]) -> dict:
    answer = await ChatOpenAI(model=runtime.context.model).ainvoke(state["messages"])
    text = f"{runtime.context.greeting}: {answer.content} {signature(runtime.context.release)}"
    return {"messages": [AIMessage(text)]}


builder = StateGraph(MessagesState, context_schema=Context)
builder.add_node(call_model)
builder.add_edge(START, "call_model")
graph = builder.compile(name="Chat")
