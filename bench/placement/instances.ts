// An agent that waits 200 ms in each call, four calls at once in a container. One container can answer 20 calls in a second.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployProject } from '../service/deploy-project.ts';
import { keptConnection } from '../load/kept-connection.ts';
import type { Row } from '../report/row.ts';
import { stepEnded, type Placed } from './placed.ts';

const name = 'waiting';
const clients = 32;
const waiter = `
import asyncio
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    said: str

async def wait(state: State) -> dict:
    await asyncio.sleep(0.2)
    return {"said": "done"}

graph = StateGraph(State).add_node(wait).add_edge(START, "wait").add_edge("wait", END).compile()
`;

// Only `svc scale` changes the number.
const scaling = '  concurrency: 4\n  scaling: {min: 1, max: 4, target_cpu: 100, target_concurrency: 256}\n';

export async function measureInstances(
  { installation, client }: Placed,
  { load_ms }: { load_ms: number },
): Promise<Row[]> {
  const project = await installation.project('langgraph-greeter', name, { name });
  await writeFile(join(project, 'agent.py'), waiter);
  await appendFile(join(project, 'agent.yaml'), scaling);
  await deployProject(client, project);
  const token = await installation.token();
  const failed: string[] = [];
  /** Calls in a second, until the work has ended. */
  const during = async (work: () => Promise<unknown>) => {
    let [isOver, answered] = [false, 0];
    const began = performance.now();
    const calling = Array.from({ length: clients }, async () => {
      await using connection = keptConnection(installation.url, { authorization: `Bearer ${token}` });
      while (!isOver) {
        const { status, text } = await connection.ask('POST', `/agents/${name}/invoke`, '{"input":{"said":"hello"}}');
        if (status === 200) answered += 1;
        else failed.push(`${status} ${text}`);
      }
    });
    await work();
    isOver = true;
    await Promise.all(calling);
    return (answered * 1000) / (performance.now() - began);
  };
  const scale = async (instances: number) => {
    const { id } = await client.call('agents.scale', { params: { name }, body: { instances } });
    await stepEnded(client, id, 'scale', performance.now());
  };
  const rest = async () => await new Promise((done) => setTimeout(done, load_ms));
  const [one, four]: [number[], number[]] = [[], []];
  for (let round = 0; round < 3; round++) {
    one.push(await during(rest));
    await during(async () => await scale(4));
    four.push(await during(rest));
    await during(async () => await scale(1));
  }
  const how = `an agent that waits 200 ms, \`deploy.concurrency: 4\`, ${clients} clients; 3 rounds in turns, which scale under load`;
  return [
    {
      measure: 'calls with four instances',
      unit: 'requests/s',
      samples: four,
      bare: one,
      at_least: 3,
      how: `${how}; bare: one instance`,
    },
    {
      measure: '… failed or refused',
      unit: 'requests',
      samples: [failed.length],
      at_most: 0,
      how: failed[0] ?? 'in all rounds, also during the scaling',
    },
  ];
}
