#!/usr/bin/env python
from pathlib import Path

from crewai.flow import Flow, listen, start
from pydantic import BaseModel

from verse_flow.crews.verse_crew.verse_crew import VerseCrew


class VerseState(BaseModel):
    topic: str = ""
    verse: str = ""
    is_saved: bool = False


class VerseFlow(Flow[VerseState]):
    @start()
    def prepare(self, crewai_trigger_payload: dict | None = None):
        self.state.topic = self.state.topic or "AI"

    @listen(prepare)
    def write(self):
        result = VerseCrew().crew().kickoff(inputs={"topic": self.state.topic})
        self.state.verse = result.raw

    @listen(write)
    def save(self):
        if self.state.topic == "files":
            Path("output").mkdir(exist_ok=True)
            self.state.is_saved = True


def kickoff():
    VerseFlow().kickoff()


def plot():
    VerseFlow().plot()


if __name__ == "__main__":
    kickoff()
