// A call through the ingress beside a bare FastAPI route that awaits the same graph. Both containers have the same image and limits, and no
// tracing. They take turns, and the clients share the cores with all of them.
import { randomUUID } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerIdentity, threadSpace } from '../server/src/agents/invoke/caller-identity.ts';
import { agentContainer } from './service/agent-container.ts';
import { deployProject } from './service/deploy-project.ts';
import { load, type Load } from './load/load.ts';
import { processorMilliseconds } from './load/process-tree.ts';
import type { Row } from './report/row.ts';
import { interleaved } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const rounds_of = { quick: 3, whole: 4 };
const round_ms = 2000;
const start_ms = 60_000;
/** The share of the bare route's calls in a second that the ingress must reach, by the number of clients. */
const goals = { 1: 0.65, 8: 0.8, 32: 0.8 };
const body = JSON.stringify({ input: { message: 'hi, I am Ada' } });

const bare_route = `
import sys
sys.path.insert(0, "/app")
import uvicorn
from fastapi import FastAPI
from agent import graph
app = FastAPI()
@app.post("/invoke")
async def invoke(body: dict):
    return await graph.ainvoke(body["input"])
uvicorn.run(app, host="0.0.0.0", port=8080, access_log=False)
`;

interface Taken extends Load {
  /** Milliseconds of processor time a call. */
  container: number;
  service: number;
}

export async function measure(measured: Measured, { quick }: { quick: boolean }): Promise<Row[]> {
  const { installation, client, token } = measured;
  const rounds = rounds_of[quick ? 'quick' : 'whole'];
  const project = await installation.project('langgraph-greeter', 'invoked', { name: 'invoked' });
  await appendFile(join(project, 'agent.yaml'), '  tracing:\n    enabled: false\n');
  const { revision_id } = await deployProject(client, project);
  const ours = await agentContainer(measured, revision_id);
  const pid = await installation.pid();
  const bare = await ours.beside(bare_route);
  const authorization = `Bearer ${token}`;
  const ways = {
    bare: { url: bare.url, path: '/invoke', headers: async () => ({}), container: bare },
    direct: { url: ours.url, path: '/invoke', headers: async () => await asIngress(ours.secret), container: ours },
    ingress: {
      url: installation.url,
      path: '/agents/invoked/invoke',
      headers: async () => ({ authorization }),
      container: ours,
    },
  };
  const take = async (way: keyof typeof ways, clients: number): Promise<Taken[]> => {
    const { url, path, headers, container } = ways[way];
    const processor = async () => [await container.processorMilliseconds(), await processorMilliseconds(pid)] as const;
    const sent = { url, headers: await headers(), clients, duration_ms: round_ms };
    const before = await processor();
    const loaded = await load({ ...sent, send: async (to) => await to.send('POST', path, body) });
    const after = await processor();
    const calls = loaded.latencies.length;
    return [{ ...loaded, container: (after[0] - before[0]) / calls, service: (after[1] - before[1]) / calls }];
  };
  try {
    await answers(bare.url);
    const rows: Row[] = [];
    for (const [clients, at_least] of Object.entries(goals))
      rows.push(
        ...rowsOf(
          await interleaved<keyof typeof ways, Taken>(rounds, {
            bare: async () => await take('bare', Number(clients)),
            direct: async () => await take('direct', Number(clients)),
            ingress: async () => await take('ingress', Number(clients)),
          }),
          { clients: Number(clients), at_least, rounds },
        ),
      );
    return rows;
  } finally {
    await bare.remove();
  }
}

function rowsOf(
  { bare, direct, ingress }: Record<'bare' | 'direct' | 'ingress', Taken[]>,
  { clients, at_least, rounds }: { clients: number; at_least: number; rounds: number },
): Row[] {
  const by = `${clients} client${clients === 1 ? '' : 's'}`;
  const how = `bare: a FastAPI route with the same graph, reached directly; ${rounds} rounds of ${round_ms / 1000} s in turns`;
  const of = (field: 'rate' | 'container' | 'service', taken: Taken[]) => taken.map((one) => one[field]);
  const latencies = (taken: Taken[]) => taken.flatMap((one) => one.latencies);
  return [
    {
      measure: `invoke through the ingress, ${by}`,
      unit: 'requests/s',
      samples: of('rate', ingress),
      bare: of('rate', bare),
      at_least,
      how,
    },
    { measure: '… one call', unit: 'ms', samples: latencies(ingress), bare: latencies(bare), how: by },
    {
      measure: '… processor of the container',
      unit: 'ms',
      samples: of('container', ingress),
      bare: of('container', bare),
      at_most: 1.2,
      how: 'a call, by its control group',
    },
    {
      measure: '… processor of the service',
      unit: 'ms',
      samples: of('service', ingress),
      at_most: 0.6,
      how: 'a call, of the one process, with all else that it does',
    },
    {
      measure: `invoke at the container, ${by}`,
      unit: 'requests/s',
      samples: of('rate', direct),
      bare: of('rate', bare),
      how: 'without the ingress',
    },
    {
      measure: '… processor of the container',
      unit: 'ms',
      samples: of('container', direct),
      bare: of('container', bare),
      how: 'a call, by its control group',
    },
  ];
}

/** The headers of the ingress; good for a minute, so each round has its own. */
async function asIngress(secret: string): Promise<Record<string, string>> {
  const caller = { id: randomUUID(), kind: 'user' as const, label: 'bench@example.com', memberships: [] };
  return {
    'x-svc-ingress-secret': secret,
    'x-svc-caller': await callerIdentity(secret, 'agents/invoked', caller),
    'x-svc-thread-space': threadSpace('agents/invoked', caller),
  };
}

async function answers(url: string): Promise<void> {
  const deadline = AbortSignal.timeout(start_ms);
  for (;;) {
    try {
      await fetch(url, { signal: deadline });
      return;
    } catch (error) {
      if (deadline.aborted) throw new Error('the bare route does not answer', { cause: error });
      await sleep(200);
    }
  }
}
