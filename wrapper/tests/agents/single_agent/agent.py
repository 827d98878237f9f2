"""One agent, with a model that repeats the question, slowly on request."""

import time

from crewai import Agent, BaseLLM


class Echo(BaseLLM):
    def call(self, messages, *args, **kwargs):
        asked = messages if isinstance(messages, str) else messages[-1]["content"]
        if "sleep 2" in asked:
            time.sleep(2)
        said = asked.split("Current Task:")[-1].strip().splitlines()[0]
        return f"Thought: I know.\nFinal Answer: you said {said}"


agent = Agent(role="Echo", goal="Repeat", backstory="A valley", llm=Echo(model="echo"))
