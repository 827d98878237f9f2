"""An agent of langchain that asks a person before it looks at the weather. Each look says how many there were in this process."""

import os

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_openai import ChatOpenAI

ALLOWED = {"allowed_decisions": ["approve", "edit", "reject"]}
looks = 0


def weather(city: str) -> str:
    """The weather of a city."""
    global looks
    looks += 1
    return f"look {looks} at {city}"


graph = create_agent(
    ChatOpenAI(model=os.environ["SVC_MODEL"]),
    [weather],
    middleware=[HumanInTheLoopMiddleware({"weather": ALLOWED}, interrupt_mode="batched")],
)
