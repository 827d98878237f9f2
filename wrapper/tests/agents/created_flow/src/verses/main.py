"""In the layout of `crewai create flow`: a state, a Flow class that calls a crew, and functions for a terminal."""

from crewai.flow import Flow, listen, start
from pydantic import BaseModel

from verses.crews.poem_crew.poem_crew import PoemCrew


class PoemState(BaseModel):
    topic: str = "anything"
    lines: list[str] = []


class PoemFlow(Flow[PoemState]):
    @start()
    def write(self):
        poem = PoemCrew().crew().kickoff(inputs={"topic": self.state.topic})
        self.state.lines.append(poem.raw)

    @listen(write)
    def save(self):
        self.state.lines.append(f"The poem is {len(self.state.lines)} line long")


def kickoff():
    PoemFlow().kickoff()


def build():
    return PoemFlow()
