from research_crew.crew import ResearchCrew


def run():
    ResearchCrew().crew().kickoff(inputs={"topic": "AI LLMs"})
