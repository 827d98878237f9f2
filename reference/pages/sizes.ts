import { admission_pool } from '../../server/src/models/gateway/admission/admission.ts';
import { spans_pool } from '../../server/src/models/traces/spans.ts';
import { copies_pool } from '../../server/src/ground/copies/copies.ts';
import { pool_size } from '../../server/src/ground/database/database.ts';
import { table, type Page } from '../page.ts';
import { boundsOf, costsOf, readFigures, replica_cores, utilisation, type Figures } from '../sizes/figures.ts';

const replica_counts = [1, 3, 10];
const database_cores = [2, 4, 16];
/** Of one connection each: of runs, of held keys, and of the calls that a process follows. */
const lease_pools = 3;
/** For the owner, a migration, a backup and a person. */
const kept_free = 10;

/** What one, three and ten replicas of a role carry. */
export async function sizesPage(): Promise<Page> {
  const figures = await readFigures();
  return { file: 'sizes.md', text: pageOf(figures) };
}

const whole = (value: number) => (value >= 10 ? value.toFixed(0) : value.toFixed(1));
const percent = `${utilisation * 100} %`;
const mostOf = (listening: number) =>
  pool_size +
  lease_pools +
  listening +
  [copies_pool, spans_pool, admission_pool].reduce((sum, { max = pool_size }) => sum + max, 0);

function pageOf(figures: Figures): string {
  return `# Sizes

What one, three and ten replicas of a role of the control plane carry, and what they need of PostgreSQL. \`npm run reference\` writes this page from
the figures that \`npm run bench -- sizes\` stored. Each figure says whether it was measured or extrapolated.

## Measured

On ${figures.date}, on one machine with ${figures.cores} cores. ${figures.clients} clients, the agent, PostgreSQL and every process of the service shared them, so
a second replica adds no core, and the calls in a second do not grow with it. The processor time of a call is
what the model below uses. One agent that repeats its input answered the calls. All calls succeeded, else there would be no figures.

${table(
  ['call', 'replicas', 'calls/s', 'CPU of the service a call', 'CPU of PostgreSQL a call'],
  figures.loads.map(({ role, call, replicas, calls_per_second, service_ms, postgres_ms }) => [
    `\`${call}\``,
    `${replicas} × ${role}`,
    `${whole(calls_per_second)} (measured)`,
    `${service_ms.toFixed(2)} ms (measured)`,
    `${postgres_ms.toFixed(2)} ms (measured)`,
  ]),
)}

PostgreSQL's own work in the background, such as checkpoints and the queries of idle processes, is counted to the calls.

${table(
  [
    'one process',
    'memory at rest',
    'memory after the load',
    'connections after the load',
    'of them seen to listen',
    'connections at most',
  ],
  figures.roles.map(({ role, rest_mb, load_mb, open, listening }) => [
    role,
    `${whole(rest_mb)} MB (measured)`,
    role === 'api' || role === 'ingress' ? `${whole(load_mb)} MB (measured)` : 'had no load',
    `${open} (measured)`,
    `${listening} (measured)`,
    `${mostOf(listening)} (from the code)`,
  ]),
)}

Memory is the resident set, so pages that several processes share count for each. The most connections are the sizes of all pools that a process may
open: ${pool_size} for its work, ${copies_pool.max} for copies under a proof, ${spans_pool.max} for traces, ${admission_pool.max} for admissions of model calls, ${lease_pools} for leases, and those that were seen to listen.

## Extrapolated

The model, for one kind of call:

- A replica has ${replica_cores} core, because the service is one thread of JavaScript. It carries ${utilisation} s of processor time in a second: ${percent}. The rest is for
  peaks and for the loss of a replica.
- PostgreSQL carries ${percent} of its cores.
- The processor time of a call is that of ${Math.max(...figures.loads.map(({ replicas }) => replicas))} measured replicas, and stays the same with more. Locks that many replicas wait for, the disk and the network are not in
  the model.
- The calls in a second are the smaller of both. No replica is idle: something in front spreads the calls evenly.

${costsOf(figures)
  .map((cost) => `### \`${cost.call}\`\n\n${capacities(cost)}`)
  .join('\n\n')}

No figure of ten replicas was measured, and none of three on cores of their own. Try your own calls before you count on them. Agents answer slower
than the service asks: what an agent does itself is not here.

### Connections

${connections(figures)}

The most is for all replicas of each of the four roles together, with ${kept_free} kept free for the owner, a migration, a backup and a person.

## What limits first

- In the tables above, "limited by" names it. When it says PostgreSQL, more replicas carry no more calls: give PostgreSQL cores.
- Add \`ingress\` replicas when they use more than ${percent} of a core and PostgreSQL does not. The same holds for \`api\` with the pages and the commands, and for \`gateway\`
  with calls to models. The cost of a call to a model is in [Benchmarks](benchmarks.md).
- A second \`worker\` takes over what the first one leaves, and deploys more at once. Calls of agents do not go through it.
- Guardrails read texts on the processor of the gateway or the ingress. A long text costs more than all of the above: see [Benchmarks](benchmarks.md).

## What PostgreSQL needs

- \`max_connections\` of at least the table above. PostgreSQL refuses a connection beyond it, and what needed it fails.
- Connections of its own. The service listens for notices of PostgreSQL, which a pooler that shares a connection between transactions does not pass on.
- A disk whose fsync is fast. Each governed write waits for one.
- Disk for calls and traces. Their growth was not measured here. \`TRACE_KEEP_DAYS\` and \`TRACE_MAX_MB\` bound the traces.

## What is not possible

- **Several regions.** All replicas are on one PostgreSQL, near it. Each call waits for several answers of the database, so a distance of 30 ms is added several times.
- **Active-active over two databases.** The audit log is one chain, and budgets are one account each. Two databases that both take writes would fork them.
- **A standby of ours.** The service replicates nothing. Taking over after the loss of PostgreSQL needs the replication of your PostgreSQL, and an address that follows its
  primary. With asynchronous replication the last writes can be lost.
- **Reads from a replica of PostgreSQL.** Every read goes to the primary.
- **Growth by itself.** The chart sets a number of replicas. It has no autoscaler for the control plane.
`;
}

function capacities(cost: Parameters<typeof boundsOf>[0]): string {
  return table(
    ['replicas', ...database_cores.map((cores) => `PostgreSQL with ${cores} cores`)],
    replica_counts.map((replicas) => [
      `${replicas}`,
      ...database_cores.map((cores) => {
        const { service, database, first } = boundsOf(cost, replicas, cores);
        return `${whole(Math.min(service, database))} calls/s (extrapolated), limited by ${first}`;
      }),
    ]),
  );
}

function connections({ roles }: Figures): string {
  const sum = (of: (role: Figures['roles'][number]) => number) => roles.reduce((all, role) => all + of(role), 0);
  const open = sum((role) => role.open);
  const most = sum(({ listening }) => mostOf(listening));
  return table(
    ['replicas of each role', 'connections as after the load', '`max_connections` for the most'],
    replica_counts.map((replicas) => [
      `${replicas}`,
      `${replicas * open} (${replicas === 1 ? 'measured' : 'extrapolated'})`,
      `${replicas * most + kept_free} (extrapolated)`,
    ]),
  );
}
