"""A crew of two that writes a short report on a topic, with the model of agent.yaml.

    svc invoke research '{"topic": "bees"}'

The service gives a container the name of its model, the address of its gateway and a key of its own. Outside of it,
set OPENAI_API_KEY, and OPENAI_BASE_URL for another provider than OpenAI.
"""

import os

from crewai import LLM, Agent, Crew, Task

# crewai knows the vendor of some names alone. `provider` says which client calls every other name.
model = LLM(model=os.environ.get("SVC_MODEL", "gpt-4o-mini"), provider="openai")

researcher = Agent(
    role="Researcher",
    goal="Find out what matters about {topic}",
    backstory="You read a lot and keep it short.",
    llm=model,
)
writer = Agent(
    role="Writer",
    goal="Explain {topic} to people who are new to it",
    backstory="You write plain sentences.",
    llm=model,
)

research = Task(
    name="research",
    description="List the five most important facts about {topic}.",
    expected_output="Five facts, one line each",
    agent=researcher,
)
report = Task(
    name="report",
    description="Write a report about {topic} from these facts.",
    expected_output="Three short paragraphs",
    agent=writer,
    context=[research],
)

# The name counts: a crewai project exports its crew as `crew`, or a single agent as `agent`.
crew = Crew(agents=[researcher, writer], tasks=[research, report])
