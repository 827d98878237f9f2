"""An agent that answers with a model, and gets the time from a tool.

    svc invoke clock '{"messages": [{"role": "user", "content": "what time is it?"}]}'

The service puts the address of its model gateway and the agent's own key into the environment. The code has neither.
"""

from datetime import datetime, timezone

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def current_time() -> str:
    """The current date and time in UTC."""
    return datetime.now(timezone.utc).strftime("%A, %d %B %Y, %H:%M UTC")


tools = [current_time]
model = ChatOpenAI(model="gpt-4o-mini", temperature=0).bind_tools(tools)


async def think(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node(think)
builder.add_node(ToolNode(tools))
builder.add_edge(START, "think")
# To the tools when the model asked for one, else to the end.
builder.add_conditional_edges("think", tools_condition)
builder.add_edge("tools", "think")

# The name is fixed: a langgraph project exports its compiled graph as `graph` or `app`.
graph = builder.compile()
