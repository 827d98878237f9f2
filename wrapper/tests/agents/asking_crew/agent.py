"""A crew whose second task wants a person at the console. Each call of its model is a line of a file."""

import os
from pathlib import Path

from crewai import Agent, BaseLLM, Crew, Task

CALLS = Path(os.environ["CALLS_FILE"])


class Counted(BaseLLM):
    def call(self, messages, *args, **kwargs):
        with CALLS.open("a") as calls:
            calls.write("call\n")
        return "Thought: I know.\nFinal Answer: done"


writer = Agent(role="Writer", goal="Write", backstory="Long", llm=Counted(model="counted"))
crew = Crew(
    agents=[writer],
    tasks=[
        Task(name="write", description="Write", expected_output="text", agent=writer),
        Task(name="judge", description="Judge", expected_output="text", agent=writer, human_input=True),
    ],
)
