// What the way to an agent costs over calling its graph in the process that holds it, and how much of that is the hop alone. The ways
// take turns.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { callerIdentity, threadSpace } from '../server/src/invoke/caller-identity.ts';
import { agentContainer } from './agent-container.ts';
import { deployProject } from './deploy-project.ts';
import { keptConnection } from './kept-connection.ts';
import type { Row } from './row.ts';
import { interleaved, quantile, repeat, timed } from './sampling.ts';
import type { Measured } from './service.ts';

const rounds = 5;
const calls = 200;
const input = { message: 'hi, I am Ada' };

const in_process = `
import json, sys, time
sys.path.insert(0, "/app")
from agent import graph
def call():
    began = time.perf_counter()
    graph.invoke(${JSON.stringify(input)})
    return (time.perf_counter() - began) * 1000
for _ in range(50): call()
print(json.dumps([call() for _ in range(${calls})]))
`;

/** What the ingress would send; good for a minute, so each round has its own. */
async function asIngress(secret: string): Promise<Record<string, string>> {
  const caller = { id: randomUUID(), kind: 'user' as const, label: 'bench@example.com', memberships: [] };
  return {
    'x-svc-ingress-secret': secret,
    'x-svc-caller': await callerIdentity(secret, 'agents/invoked', caller),
    'x-svc-thread-space': threadSpace('agents/invoked', caller),
  };
}

export async function measure(measured: Measured): Promise<Row[]> {
  const { installation, client, token } = measured;
  const { revision_id } = await deployProject(
    client,
    await installation.project('langgraph-greeter', 'invoked', { name: 'invoked' }),
  );
  const container = await agentContainer(measured, revision_id);
  const body = JSON.stringify({ input });
  using ingress = keptConnection(installation.url, { authorization: `Bearer ${token}` });
  const through = async (send: () => Promise<unknown>) => await repeat(calls, async () => await timed(send));
  const proxy = spawn(process.execPath, [resolve(import.meta.dirname, 'bare-proxy.ts'), container.url]);
  const [address] = (await once(proxy.stdout, 'data')) as [Buffer]; // no encoding is set
  const bare_url = address.toString().trim();
  const { graph, wrapped, passed, called } = await interleaved(rounds, {
    graph: async () => JSON.parse(await container.python(in_process)) as number[], // printed by the script above
    wrapped: async () => {
      using direct = keptConnection(container.url, await asIngress(container.secret));
      return await through(async () => await direct.send('POST', '/invoke', body));
    },
    passed: async () => {
      using bare = keptConnection(bare_url, await asIngress(container.secret));
      return await through(async () => await bare.send('POST', '/invoke', body));
    },
    called: async () => await through(async () => await ingress.send('POST', '/agents/invoked/invoke', body)),
  });
  proxy.stdin.end();
  const how = `${rounds} rounds of ${calls} calls in turns, one at a time`;
  const over = (samples: number[], base: number[]) =>
    samples.map((sample) => Math.max(0, sample - quantile(base, 0.5)));
  return [
    {
      measure: 'the graph, called in process',
      unit: 'ms',
      samples: graph,
      how: `graph.invoke beside the agent, ${how}`,
    },
    { measure: 'invoke at the container', unit: 'ms', samples: wrapped, how },
    { measure: 'invoke through the ingress', unit: 'ms', samples: called, how },
    {
      measure: '… the wrapper adds',
      unit: 'ms',
      samples: over(wrapped, graph),
      how: 'over the p50 in process; includes the HTTP exchange',
    },
    {
      measure: '… a proxy that checks nothing adds',
      unit: 'ms',
      samples: over(passed, wrapped),
      how: 'over the p50 at the container; the hop alone',
    },
    {
      measure: '… the ingress adds',
      unit: 'ms',
      at_most: 2,
      samples: over(called, wrapped),
      how: 'over the p50 at the container; the service and its client share the cores',
    },
  ];
}
