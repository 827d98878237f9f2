"""A crew whose model calls the tool that its input names, once, and answers with what the tool said."""

import os
import re

from crewai import Agent, BaseLLM, Crew, Task
from crewai.mcp import MCPServerHTTP


class Caller(BaseLLM):
    def call(self, messages, *args, **kwargs):
        asked = "\n".join(str(message["content"]) for message in messages)
        if any(message["role"] == "assistant" for message in messages):
            said = asked.split("Observation:")[-1].split("[complete response]")[0]
            return f"Thought: I know.\nFinal Answer: {said.strip()}"
        wanted = re.search(r"tool=(\S+)", asked)
        given = re.search(r"arguments=(.*)", asked)
        listed = re.findall(r"Tool Name: (\S+)", asked)
        names = [name for name in listed if name.endswith(wanted[1])]
        if len(names) != 1:
            raise LookupError(f"{wanted[1]} is {len(names)} of the tools {listed}")
        return f"Thought: call it.\nAction: {names[0]}\nAction Input: {given[1]}"

    def get_input_tokens_count(self, messages, *args, **kwargs):
        return len(str(messages).split())


caller = Agent(
    role="Caller",
    goal="Call",
    backstory="Obedient",
    llm=Caller(model="caller"),
    mcps=[MCPServerHTTP(url=os.environ["SVC_MCP_URL"])],
)
crew = Crew(
    agents=[caller],
    tasks=[Task(name="call", description="tool={tool}\narguments={arguments}\n", expected_output="text", agent=caller)],
)
