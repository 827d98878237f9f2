import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** By path; undefined removes a default file of the project. */
export type Files = Record<string, string | undefined>;

/** A langgraph project in a folder of its name, with an agent that repeats its input; `files` replace its own. */
export async function writeProject(
  { directory, team = 'ml' }: { directory: string; team?: string },
  name: string,
  files: Files = {},
): Promise<string> {
  const folder = join(directory, name);
  const own: Files = { 'agent.yaml': agentYaml(name, '', team), 'agent.py': echo, 'requirements.txt': requirements };
  for (const [path, content] of Object.entries({ ...own, ...files })) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    if (content === undefined) await rm(file, { force: true });
    else await writeFile(file, content);
  }
  return folder;
}

export function agentYaml(name: string, more = '', team = 'ml'): string {
  return `name: ${name}\nversion: 1.0.0\nteam: ${team}\nframework: langgraph\n${more}`;
}

// The example's requirements, so that one lock and one dependency image serve every project of a test.
export const requirements = 'langgraph>=1.0\nlangchain-core>=1.0\n';

export const echo = `
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    said: str

builder = StateGraph(State)
builder.add_node("repeat", lambda state: {"said": state["said"]})
builder.add_edge(START, "repeat")
builder.add_edge("repeat", END)
graph = builder.compile()
`;
