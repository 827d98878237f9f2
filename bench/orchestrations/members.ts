// One agent, which answers at once or after the seconds that its text names. It is every member.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployProject } from '../service/deploy-project.ts';
import type { Measured } from '../service/service.ts';

export const member_name = 'member';

const agent = `
import asyncio
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    text: str

async def answer(state: State) -> dict:
    word, _, seconds = state["text"].partition(" ")
    if word == "wait":
        await asyncio.sleep(float(seconds))
    return {"text": state["text"]}

graph = StateGraph(State).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
`;

/** Returns agents/<name>@<version>. */
export async function deployMember({ installation, client }: Measured): Promise<string> {
  const project = await installation.project('langgraph-greeter', member_name, { name: member_name });
  await writeFile(join(project, 'agent.py'), agent);
  await deployProject(client, project);
  return `agents/${member_name}@1.0.0`;
}

/** An orchestration of so many members, one after the other. */
export async function deployOrchestration({ client }: Measured, name: string, members: number): Promise<void> {
  const agents = Array.from({ length: members }, (_, n) => ({ name: `m${n + 1}`, ref: `agents/${member_name}` }));
  const config = { strategy: 'sequential', agents };
  const body = { name, team: 'default', config };
  await client.call('registry.create', { params: { kind: 'orchestration' }, body });
  await client.call('orchestrations.deploy', { params: { name }, body: {} });
}
