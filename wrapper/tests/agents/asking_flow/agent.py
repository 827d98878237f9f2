"""A flow whose step asks on the console, with crewai's default or as its code names it."""

from crewai.flow.async_feedback.providers import ConsoleProvider
from crewai.flow.flow import Flow, start


class Own:
    def request_input(self, message, flow, metadata=None):
        return "blue"


class Asking(Flow):
    @start()
    def gather(self):
        if self.state.get("provider") == "own":
            self.input_provider = Own()
        if self.state.get("provider") == "console":
            return input("Which colour?")
        return f"it is {self.ask('Which colour?')}"


crew = Asking()
crew.input_provider = ConsoleProvider()
