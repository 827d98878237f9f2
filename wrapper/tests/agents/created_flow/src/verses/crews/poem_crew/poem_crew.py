from crewai import Agent, BaseLLM, Crew, Task
from crewai.project import CrewBase, agent, crew, llm, task


class Echo(BaseLLM):
    def call(self, messages, *args, **kwargs):
        asked = messages if isinstance(messages, str) else messages[-1]["content"]
        return f"Thought: I know.\nFinal Answer: {asked.split('Current Task:')[-1].strip().splitlines()[0]}"


@CrewBase
class PoemCrew:
    agents_config = "config/agents.yaml"
    tasks_config = "config/tasks.yaml"

    @llm
    def echo(self):
        return Echo(model="echo")

    @agent
    def poet(self) -> Agent:
        return Agent(config=self.agents_config["poet"])

    @task
    def poem_task(self) -> Task:
        return Task(config=self.tasks_config["poem_task"])

    @crew
    def crew(self) -> Crew:
        return Crew(agents=self.agents, tasks=self.tasks)
