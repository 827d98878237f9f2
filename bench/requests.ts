// The service's own answers: reads with a decision, and a write with its audit entry.
import { randomUUID } from 'node:crypto';
import { deployProject } from './service/deploy-project.ts';
import type { KeptConnection } from './load/kept-connection.ts';
import { load } from './load/load.ts';
import type { Row } from './report/row.ts';
import { interleaved } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const client_counts = [1, 8];
const rounds = 3;
const round_ms = 1500;

const kinds: Kind[] = [
  { name: 'read: GET /api/v1/auth/me', send: async (to) => await to.send('GET', '/api/v1/auth/me') },
  {
    name: 'read: GET /api/v1/registry/agent/read',
    send: async (to) => await to.send('GET', '/api/v1/registry/agent/read'),
    at_least: 1000,
  },
  {
    name: 'governed write: POST /api/v1/teams',
    send: async (to) => await to.send('POST', '/api/v1/teams', JSON.stringify({ name: `t${randomUUID()}` })),
  },
];

interface Kind {
  name: string;
  send: (connection: KeptConnection) => Promise<void>;
  /** In a second, by the most clients. */
  at_least?: number;
}

export async function measure({ installation, client, token }: Measured): Promise<Row[]> {
  await deployProject(client, await installation.project('langgraph-greeter', 'read', { name: 'read' }));
  const runs = kinds.flatMap((kind) => client_counts.map((clients) => ({ ...kind, clients })));
  const to = { url: installation.url, headers: { authorization: `Bearer ${token}` }, duration_ms: round_ms };
  const loads = await interleaved(
    rounds,
    Object.fromEntries(runs.map((run, n) => [n, async () => [await load({ ...to, ...run })]])),
  );
  return runs.flatMap(({ name, clients, at_least }, n): Row[] => {
    const by = `${clients} client${clients === 1 ? '' : 's'}`;
    const how = `${rounds} rounds of ${round_ms / 1000} s in turns; the clients share the cores with the service`;
    const taken = loads[n] ?? [];
    return [
      { measure: `${name}, ${by}`, unit: 'ms', samples: taken.flatMap(({ latencies }) => latencies), how },
      {
        measure: '… in a second',
        unit: 'requests/s',
        samples: taken.map(({ rate }) => rate),
        how: by,
        ...(at_least !== undefined && clients === Math.max(...client_counts) ? { at_least } : {}),
      },
    ];
  });
}
