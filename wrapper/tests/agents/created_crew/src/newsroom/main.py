"""For a person at a terminal; the service starts the crew itself."""

from newsroom.crew import Newsroom


def run():
    Newsroom().crew().kickoff(inputs={"topic": "tea", "current_year": "2026"})


def train():
    Newsroom().crew().train(n_iterations=1, filename="trained.pkl", inputs={"topic": "tea", "current_year": "2026"})


def build():
    return Newsroom().crew()
