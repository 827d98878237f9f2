from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def current_time() -> str:
    """The current time in UTC."""
    return "12:00 UTC"


bot = create_agent(ChatOpenAI(model="gpt-4o-mini"), [current_time])
