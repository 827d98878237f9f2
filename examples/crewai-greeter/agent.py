"""A crew of two that greets a topic, with a built-in model: no provider and no key.

    svc invoke crew-greeter '{"topic": "tea"}'

`PhraseBook` replaces a model. To use a real one, delete the class and write
`llm="gpt-4o-mini"` (or another model's name) at the agents.
"""

from typing import Any

from crewai import Agent, BaseLLM, Crew, Task


class PhraseBook(BaseLLM):
    """Answers from a book of phrases. crewai asks any model through `call`."""

    def call(self, messages: str | list[dict[str, Any]], *args: Any, **kwargs: Any) -> str:
        asked = messages if isinstance(messages, str) else str(messages[-1]["content"])
        topic = asked.split("topic: ")[-1].splitlines()[0].strip(" .")
        answer = f"Three things about {topic}: it is old, it is loved, it is never finished."
        if "greeting" in asked:
            answer = f"Hello! Let us talk about {topic}. {answer}"
        # crewai's agents end their work with these words.
        return f"Thought: I know what to say.\nFinal Answer: {answer}"

    def get_input_tokens_count(self, messages: Any, *args: Any, **kwargs: Any) -> int:
        """The length of the question in words; crewai checks it against the model's limit."""
        return len(str(messages).split())


model = PhraseBook(model="phrase-book")

researcher = Agent(
    role="Researcher",
    goal="Find out what matters about {topic}",
    backstory="You read a lot and keep it short.",
    llm=model,
)
host = Agent(
    role="Host",
    goal="Welcome people to a talk about {topic}",
    backstory="You make everyone feel at home.",
    llm=model,
)

research = Task(
    name="research",
    description="List three things to know.\ntopic: {topic}",
    expected_output="Three short facts",
    agent=researcher,
)
welcome = Task(
    name="welcome",
    description="Write a greeting that uses the facts.\ntopic: {topic}",
    expected_output="One friendly paragraph",
    agent=host,
    context=[research],
)

# The name counts: a crewai project exports its crew as `crew`, or a single agent as `agent`.
crew = Crew(agents=[researcher, host], tasks=[research, welcome])
