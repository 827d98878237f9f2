"""A flow as crewai's docs show it: `@persist` without a place, and a step that a person answers."""

from crewai.flow import Flow, listen, router, start
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import persist
from pydantic import BaseModel

VERSION = "first"


class Kept(BaseModel):
    do: str = "say"
    value: str = ""
    said: list[str] = []


@persist()
class Keeper(Flow[Kept]):
    @start()
    def take(self):
        self.state.said.append(self.state.value)

    @router(take)
    def choose(self):
        return f"to {self.state.do}"

    @listen("to say")
    def say(self):
        return {"result": self.state.said}

    @listen("to ask")
    @human_feedback(message="Is this right?")
    def ask(self):
        return self.state.value

    @listen(ask)
    def hear(self, result):
        return {"result": f"{VERSION} heard {result.feedback} about {result.output}"}


crew = Keeper()
