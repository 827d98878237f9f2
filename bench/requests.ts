// The service's own answers: reads with a decision, and a write with its audit entry.
import { randomUUID } from 'node:crypto';
import { deployProject } from './deploy-project.ts';
import { keptConnection, type KeptConnection } from './kept-connection.ts';
import type { Row } from './row.ts';
import { timed } from './sampling.ts';
import type { Measured } from './service.ts';

const client_counts = [1, 8];
const rounds = 3;
const round_ms = 1500;

const kinds: { name: string; send: (connection: KeptConnection) => Promise<void> }[] = [
  { name: 'read: GET /api/v1/auth/me', send: async (to) => await to.send('GET', '/api/v1/auth/me') },
  {
    name: 'read: GET /api/v1/registry/agent/read',
    send: async (to) => await to.send('GET', '/api/v1/registry/agent/read'),
  },
  {
    name: 'governed write: POST /api/v1/teams',
    send: async (to) => await to.send('POST', '/api/v1/teams', JSON.stringify({ name: `t${randomUUID()}` })),
  },
];

export async function measure({ installation, client, token }: Measured): Promise<Row[]> {
  await deployProject(client, await installation.project('langgraph-greeter', 'read', { name: 'read' }));
  const runs = kinds.flatMap((kind) =>
    client_counts.map((clients) => ({ ...kind, clients, latencies: [] as number[], rates: [] as number[] })),
  );
  for (let round = 0; round <= rounds; round++) {
    for (const run of runs) {
      const { latencies, rate } = await load(installation.url, token, run);
      if (round === 0) continue; // warms up
      run.latencies.push(...latencies);
      run.rates.push(rate);
    }
  }
  return runs.flatMap(({ name, clients, latencies, rates }): Row[] => {
    const by = `${clients} client${clients === 1 ? '' : 's'}`;
    const how = `${rounds} rounds of ${round_ms / 1000} s in turns; the clients share the cores with the service`;
    return [
      { measure: `${name}, ${by}`, unit: 'ms', samples: latencies, how },
      { measure: '… in a second', unit: 'requests/s', samples: rates, how: by },
    ];
  });
}

async function load(
  url: string,
  token: string,
  { clients, send }: { clients: number; send: (connection: KeptConnection) => Promise<void> },
) {
  const latencies: number[] = [];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      using connection = keptConnection(url, { authorization: `Bearer ${token}` });
      while (performance.now() - began < round_ms) latencies.push(await timed(async () => await send(connection)));
    }),
  );
  return { latencies, rate: (latencies.length * 1000) / (performance.now() - began) };
}
