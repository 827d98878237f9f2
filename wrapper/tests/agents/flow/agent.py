"""A flow exported as `crew`: a chain of plain functions."""

from crewai.flow.flow import Flow, listen, start


class Shout(Flow):
    @start()
    def take(self):
        return self.state["topic"]

    @listen(take)
    def shout(self, topic):
        return topic.upper() + "!"


crew = Shout()
