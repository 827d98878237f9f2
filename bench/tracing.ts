// The cost of tracing: the same agent with it and without it, in turns. Its model answers after 200 ms.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployProject } from './deploy-project.ts';
import type { Row } from './row.ts';
import { interleaved, repeat, timed } from './sampling.ts';
import type { Measured } from './service.ts';

const rounds = 5;
const calls_per_round = 10;

const one_call = `
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import START, MessagesState, StateGraph

model = FakeListChatModel(responses=["yes"], sleep=0.2)


async def ask(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke("question")]}


graph = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask").compile()
`;

export async function measure({ installation, client, token }: Measured): Promise<Row[]> {
  const deploy = async (name: string, yaml: string) => {
    const project = await installation.project('langgraph-greeter', name, { name });
    await writeFile(join(project, 'agent.py'), one_call);
    await appendFile(join(project, 'agent.yaml'), yaml);
    await deployProject(client, project);
  };
  await deploy('traced', '');
  await deploy('untraced', '  tracing:\n    enabled: false\n');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (name: string) => {
    const body = JSON.stringify({ input: { messages: [] } });
    const answer = await fetch(`${installation.url}/agents/${name}/invoke`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const take = async (name: string) =>
    await repeat(calls_per_round, async () => await timed(async () => await call(name)));
  const samples = await interleaved(rounds, {
    traced: async () => await take('traced'),
    untraced: async () => await take('untraced'),
  });
  return [
    {
      measure: 'a traced call of an agent with one model call of 200 ms',
      unit: 'ms',
      samples: samples.traced,
      bare: samples.untraced,
      at_most: 1.05,
      how: `in turns with the same agent untraced, ${rounds * calls_per_round} calls each`,
    },
  ];
}
