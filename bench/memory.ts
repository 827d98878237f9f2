// Threads that the service keeps: a call of a graph of three nodes on a thread, beside the same graph with a saver in the memory of its process, which
// crosses no network and writes no disk. Both go through the ingress, untraced, in turns.
import { randomUUID } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deployProject } from './service/deploy-project.ts';
import type { Row } from './report/row.ts';
import { interleaved, repeat, timed } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds_of = { quick: 2, whole: 6 };
const calls_a_round = 25;
const clients = 8;
const long_messages = 200;

/** A saver of a class that the service does not know stays the project's own. */
const in_process = `
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver as Saver


class InProcess(BaseCheckpointSaver):
    def __init__(self):
        super().__init__()
        self.inner = Saver()

    def get_next_version(self, current, channel):
        return self.inner.get_next_version(current, channel)

    async def aget_tuple(self, config):
        return self.inner.get_tuple(config)

    async def aput(self, config, checkpoint, metadata, new_versions):
        return self.inner.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config, writes, task_id, task_path=""):
        return self.inner.put_writes(config, writes, task_id, task_path)


saver = InProcess()
`;

const three_nodes = (saver: string) => `
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
${saver}

def answer(name):
    async def node(_):
        return {"messages": [AIMessage(name)]}

    return node


builder = StateGraph(MessagesState)
for name in "abc":
    builder.add_node(name, answer(name))
builder.add_edge(START, "a").add_edge("a", "b").add_edge("b", "c")
graph = builder.compile(${saver === '' ? '' : 'checkpointer=saver'})
`;

export async function measure(
  { installation, client, token }: Measured,
  { quick }: { quick: boolean },
): Promise<Row[]> {
  const rounds = rounds_of[quick ? 'quick' : 'whole'];
  const deploy = async (name: string, saver: string) => {
    const project = await installation.project('langgraph-greeter', name, { name });
    await writeFile(join(project, 'agent.py'), three_nodes(saver));
    await appendFile(join(project, 'agent.yaml'), '  tracing:\n    enabled: false\n');
    await deployProject(client, project);
  };
  await deploy('kept', '');
  await deploy('own', in_process);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call = async (name: string, thread_id?: string, words = 1) => {
    const messages = Array.from({ length: words }, (_, n) => ({ role: 'user', content: `message ${n}` }));
    const body = JSON.stringify({ input: { messages }, ...(thread_id !== undefined && { thread_id }) });
    const answer = await fetch(`${installation.url}/agents/${name}/invoke`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`${name} answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const both = async (take: (name: 'kept' | 'own') => Promise<number[]>) =>
    await interleaved(rounds, { kept: async () => await take('kept'), own: async () => await take('own') });
  const one = async (work: () => Promise<void>) =>
    await repeat(calls_a_round, async () => await timed(async () => await work()));
  const threaded = await both(async (name) => await one(async () => await call(name, randomUUID())));
  const bare = await both(async (name) => await one(async () => await call(name)));
  const busy = await both(async (name) => {
    const loop = async () => await repeat(calls_a_round, async () => await call(name, randomUUID()));
    const took = await timed(async () => await Promise.all(Array.from({ length: clients }, loop)));
    return [took / (clients * calls_a_round)];
  });
  // A thread grows with each call, so each round resumes a thread of its own.
  const long = await both(async (name) => {
    const threads = await repeat(5, async () => {
      const thread = randomUUID();
      await call(name, thread, long_messages);
      return thread;
    });
    return await repeat(threads.length, async (n) => await timed(async () => await call(name, threads[n])));
  });
  const how = `in turns with the same graph and a saver in the memory of its process, ${rounds} rounds`;
  return [
    {
      measure: 'a call on a new thread, a graph of three nodes',
      unit: 'ms',
      samples: threaded.kept,
      bare: threaded.own,
      at_most: 1.3,
      how: `${how} of ${calls_a_round} calls`,
    },
    {
      measure: '… without a thread',
      unit: 'ms',
      samples: bare.kept,
      bare: bare.own,
      at_most: 1.1,
      how: `${how} of ${calls_a_round} calls`,
    },
    {
      measure: `… on new threads, ${clients} clients`,
      unit: 'ms',
      samples: busy.kept,
      bare: busy.own,
      how: `${how} of ${clients * calls_a_round} calls; the time of a round by its calls`,
    },
    {
      measure: `a call on a thread of ${long_messages} messages`,
      unit: 'ms',
      samples: long.kept,
      bare: long.own,
      how: `${how} of 5 calls`,
    },
  ];
}
