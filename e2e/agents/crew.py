"""A crew of two whose model follows the topic, for the tests of crews in containers."""

import threading

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

gate = threading.Event()


@tool("weigh")
def weigh(thing: str) -> str:
    """Weighs a thing."""
    raise ArithmeticError(f"{thing} has no weight")


class Obedient(BaseLLM):
    def call(self, messages, *args, **kwargs):
        asked = "\n".join(str(message["content"]) for message in messages)
        topic = asked.split("topic=")[-1].split(";")[0]
        print(f"asked about {topic}")
        if topic == "fail":
            raise LookupError("the kettle is empty")
        if topic == "steam" and "You are Writer" in asked and "no weight" not in asked:
            return 'Thought: weigh it.\nAction: weigh\nAction Input: {"thing": "steam"}'
        if topic == "open":
            gate.set()
        if topic == "wait" and not gate.wait(timeout=100):
            raise TimeoutError("nobody opened the gate")
        return f"Thought: I know.\nFinal Answer: about {topic}"

    def get_input_tokens_count(self, messages, *args, **kwargs):
        return len(str(messages).split())


model = Obedient(model="obedient")
writer = Agent(role="Writer", goal="Write", backstory="Long", llm=model, tools=[weigh])
judge = Agent(role="Judge", goal="Judge", backstory="Short", llm=model)
crew = Crew(
    agents=[writer, judge],
    tasks=[
        Task(name="write", description="topic={topic};", expected_output="text", agent=writer),
        Task(name="judge", description="topic={topic};", expected_output="text", agent=judge),
    ],
)
