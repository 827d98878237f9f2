"""A crew whose agent asks a remote agent by crewai's own A2A client. Prints its output, as JSON."""

import json
import os
import sys
from typing import Any

# crewai prints messages of its own.
answers = os.dup(1)
os.dup2(2, 1)
os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from crewai import Agent, BaseLLM, Crew, Task  # noqa: E402
from crewai.a2a import A2AClientConfig  # noqa: E402
from crewai.a2a.auth import BearerTokenAuth  # noqa: E402

url, *tokens = sys.argv[1:]
auth = BearerTokenAuth(token=tokens[0]) if tokens else None
card = f"{url}/.well-known/agent-card.json"


class Delegator(BaseLLM):
    """Replaces a model: it hands the task to the remote agent, whose answer ends the crew."""

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        return json.dumps({"a2a_ids": [card], "message": "hi", "is_a2a": True})

    def supports_function_calling(self) -> bool:
        return False


asker = Agent(
    role="Asker",
    goal="Ask the remote agent",
    backstory="You delegate everything.",
    llm=Delegator(model="delegator"),
    a2a=A2AClientConfig(endpoint=card, auth=auth, trust_remote_completion_status=True),
)
task = Task(description="Say hi to the remote agent.", expected_output="Its answer", agent=asker)
output = Crew(agents=[asker], tasks=[task]).kickoff()
os.write(answers, json.dumps({"raw": output.raw}).encode())
