"""A flow that counts its calls and asks a person when it is told to. `@persist` names no place."""

from crewai.flow import Flow, listen, start
from crewai.flow.human_feedback import human_feedback
from crewai.flow.persistence import persist
from pydantic import BaseModel


class Count(BaseModel):
    add: str = ""
    seen: list[str] = []
    answer: str = ""


@persist()
class Counter(Flow[Count]):
    @start()
    def see(self) -> list[str]:
        self.state.seen.append(self.state.add)
        return self.state.seen


@persist()
class Asker(Flow[Count]):
    @start()
    @human_feedback(message="Add this?")
    def ask(self) -> str:
        self.state.seen.append(self.state.add)
        return f"added {self.state.add}"

    @listen(ask)
    def hear(self, result) -> str:
        self.state.answer = result.feedback
        return f"{result.output}: {result.feedback}"


crew = Counter()
asker = Asker
