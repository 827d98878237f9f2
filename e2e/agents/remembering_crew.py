"""A crew with `memory=True` and no embedder. Its model says what it was asked, with what the crew remembers of it."""

from crewai import Agent, BaseLLM, Crew, Task


class Parrot(BaseLLM):
    def call(self, messages, *args, **kwargs):
        if kwargs.get("response_model") is not None:
            raise NotImplementedError("it analyses nothing")
        asked = messages if isinstance(messages, str) else "\n".join(str(one["content"]) for one in messages)
        return f"Thought: I know.\nFinal Answer: {asked}"


teller = Agent(role="Teller", goal="Tell", backstory="Long", llm=Parrot(model="parrot"))
tell = Task(name="tell", description="Tell about {topic}", expected_output="a text", agent=teller)
crew = Crew(agents=[teller], tasks=[tell], memory=True)
