"""A crew whose model waits a little and counts its calls in a file. It uses a tool when the topic requests it."""

import os
import time
from pathlib import Path

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

CALLS = Path(os.environ.get("CALLS_FILE", os.devnull))


@tool("count_letters")
def count_letters(word: str) -> str:
    """Counts the letters of a word."""
    return f"{len(word)} letters"


class Slow(BaseLLM):
    def call(self, messages, *args, **kwargs):
        with CALLS.open("a") as calls:
            calls.write("call\n")
        asked = "\n".join(str(message["content"]) for message in messages)
        time.sleep(0.3)
        if "fail" in asked:
            raise RuntimeError("the model is down")
        if "toolbox" in asked and "You are Writer" in asked and "7 letters" not in asked:
            return 'Thought: count.\nAction: count_letters\nAction Input: {"word": "toolbox"}'
        topic = asked.split("topic=")[-1].split(";")[0]
        return f"Thought: I know.\nFinal Answer: about {topic}"


model = Slow(model="slow")
writer = Agent(
    role="Writer on {topic}", goal="Write", backstory="Long", llm=model, tools=[count_letters], max_retry_limit=0
)
critic = Agent(role="Critic", goal="Judge", backstory="Short", llm=model, max_retry_limit=0)
crew = Crew(
    agents=[writer, critic],
    tasks=[
        Task(name="write", description="topic={topic};", expected_output="text", agent=writer),
        Task(name="judge", description='topic={topic}; as {"json": 1}', expected_output="text", agent=critic),
    ],
)
