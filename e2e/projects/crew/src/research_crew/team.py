from .crew import ResearchCrew


def make_team():
    """An entrypoint can also name this instead of the class."""
    return ResearchCrew().crew()
