from .crew import ResearchCrew


def make_team():
    """What a person may name as the entrypoint instead of the class."""
    return ResearchCrew().crew()
