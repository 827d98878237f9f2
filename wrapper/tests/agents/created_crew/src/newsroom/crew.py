"""In the layout of `crewai create crew`: configuration in YAML, a class that puts it together, a file it writes."""

from crewai import Agent, Crew, Process, Task
from crewai.project import CrewBase, agent, before_kickoff, crew, llm, task

from newsroom.echo_model import Echo


@CrewBase
class Newsroom:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @before_kickoff
    def sign(self, inputs):
        return {**inputs, "asked_by": "the desk"}

    @llm
    def echo(self):
        return Echo(model="echo")

    @agent
    def researcher(self) -> Agent:
        return Agent(config=self.agents_config["researcher"], max_retry_limit=0)

    @task
    def research_task(self) -> Task:
        return Task(config=self.tasks_config["research_task"], output_file="report.md")

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks, process=Process.sequential)
