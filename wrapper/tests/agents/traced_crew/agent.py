"""A crew with a tool, whose first task runs in a thread of crewai."""

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool


@tool("look_up")
def look_up() -> str:
    """Looks something up."""
    return "found"


model = LLM(model="gpt-4o-mini")
writer = Agent(role="Writer", goal="Write", backstory="Long", llm=model, max_retry_limit=0, tools=[look_up])
first = Task(name="first", description="{topic}", expected_output="text", agent=writer, async_execution=True)
second = Task(name="second", description="{topic}", expected_output="text", agent=writer)
crew = Crew(agents=[writer], tasks=[first, second])
