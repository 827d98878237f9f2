// The cost of tracing: the same agents with it and without it, in turns. One waits 200 ms for a model. The other has three nodes that do
// nothing, and eight clients keep it busy: so its calls take the processor time of the framework, the wrapper and the tracing.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployProject } from './service/deploy-project.ts';
import type { Row } from './report/row.ts';
import { interleaved, repeat, timed } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds = 5;
const calls_per_round = 10;
const clients = 8;
const busy_calls = 25;

const one_call = `
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import START, MessagesState, StateGraph

model = FakeListChatModel(responses=["yes"], sleep=0.2)


async def ask(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke("question")]}


graph = StateGraph(MessagesState).add_node(ask).add_edge(START, "ask").compile()
`;

const three_nodes = `
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


def answer(name):
    return lambda _: {"messages": [AIMessage(name)]}


builder = StateGraph(MessagesState)
for name in "abc":
    builder.add_node(name, answer(name))
builder.add_edge(START, "a").add_edge("a", "b").add_edge("b", "c")
graph = builder.compile()
`;

export async function measure({ installation, client, token }: Measured): Promise<Row[]> {
  const deploy = async (name: string, code: string, yaml: string) => {
    const project = await installation.project('langgraph-greeter', name, { name });
    await writeFile(join(project, 'agent.py'), code);
    await appendFile(join(project, 'agent.yaml'), yaml);
    await deployProject(client, project);
  };
  const untraced = '  tracing:\n    enabled: false\n';
  await deploy('traced', one_call, '');
  await deploy('untraced', one_call, untraced);
  await deploy('traced-nodes', three_nodes, '');
  await deploy('untraced-nodes', three_nodes, untraced);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (name: string) => {
    const body = JSON.stringify({ input: { messages: [] } });
    const answer = await fetch(`${installation.url}/agents/${name}/invoke`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const take = async (name: string) =>
    await repeat(calls_per_round, async () => await timed(async () => await call(name)));
  const busy = async (name: string) => {
    const client_calls = async () => await repeat(busy_calls, async () => await call(name));
    return [
      (await timed(async () => await Promise.all(Array.from({ length: clients }, client_calls)))) /
        (clients * busy_calls),
    ];
  };
  const waiting = await interleaved(rounds, {
    traced: async () => await take('traced'),
    untraced: async () => await take('untraced'),
  });
  const nodes = await interleaved(2 * rounds, {
    traced: async () => await busy('traced-nodes'),
    untraced: async () => await busy('untraced-nodes'),
  });
  return [
    {
      measure: 'a traced call of an agent with one model call of 200 ms',
      unit: 'ms',
      samples: waiting.traced,
      bare: waiting.untraced,
      at_most: 1.05,
      how: `in turns with the same agent untraced, ${rounds * calls_per_round} calls each`,
    },
    {
      measure: 'traced over untraced: a call of a graph of three nodes without a model',
      unit: 'ms',
      samples: nodes.traced,
      bare: nodes.untraced,
      at_most: 1.25,
      how: `in turns, ${2 * rounds} rounds of ${clients * busy_calls} calls by ${clients} clients; the time of a round by its calls`,
    },
  ];
}
