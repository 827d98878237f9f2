"""A crew whose tasks run in threads of crewai and call a model at the gateway."""

from crewai import LLM, Agent, Crew, Task

model = LLM(model="gpt-4o-mini")


def task(name: str, *, in_thread: bool) -> Task:
    writer = Agent(role=f"Writer of {name}", goal="Write", backstory="Long", llm=model, max_retry_limit=0)
    text = f"name={{name}}; {name}"
    return Task(name=name, description=text, expected_output="text", agent=writer, async_execution=in_thread)


tasks = [task("one", in_thread=True), task("two", in_thread=True), task("three", in_thread=False)]
crew = Crew(agents=[task.agent for task in tasks], tasks=tasks)
