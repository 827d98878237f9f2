// All containers die at once, as after a restart of the engine. The keeper starts them again.
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseOf } from '../../e2e/database-of.ts';
import { engineOf } from '../../e2e/engine-of.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { processorMilliseconds, treeProcessorMilliseconds } from '../load/process-tree.ts';
import type { Row } from '../report/row.ts';
import type { Placed } from './placed.ts';

/** Measures with all agents that are deployed. */
export async function measureReconcile({ installation }: Placed): Promise<Row[]> {
  const seen = await engineOf(installation);
  const db = await databaseOf(installation);
  const pid = await installation.pid();
  const used = async () => ({ service: await processorMilliseconds(pid), all: await treeProcessorMilliseconds(pid) });
  // A draining container is not started again.
  const rows = await db.all(sql`
    select from instance i join route r on r.revision_id = i.revision_id where i.draining_since is null`);
  const agents = rows.length;
  const before = await used();
  const began = performance.now();
  await Promise.all(
    (await seen.running('agent')).map(async (name) => void (await seen.engine.docker.getContainer(name).kill())),
  );
  const ready_s: number[] = [];
  let most_starting = 0;
  const deadline = AbortSignal.timeout(900_000);
  // Every killed container has its first restart counted when it answers.
  while (ready_s.length < agents) {
    const [now] = await db.all<{ ready: number; starting: number }>(sql`
      select count(*) filter (where i.restarts > 0 and i.url is not null)::int as ready,
        count(*) filter (where i.state = 'starting')::int as starting
      from instance i join route r on r.revision_id = i.revision_id where i.draining_since is null`);
    const seconds = (performance.now() - began) / 1000;
    while (ready_s.length < (now?.ready ?? 0)) ready_s.push(seconds);
    most_starting = Math.max(most_starting, now?.starting ?? 0);
    await sleep(50, undefined, { signal: deadline });
  }
  const after = await used();
  await db.close();
  const how = `${agents} containers of langgraph agents, all killed at once`;
  const perAgent = (milliseconds: number) => [milliseconds / 1000 / agents];
  return [
    { measure: 'reconcile: the first agent answers', unit: 's', samples: ready_s.slice(0, 1), how },
    {
      measure: '… the last agent answers',
      unit: 's',
      samples: ready_s.slice(-1),
      how: 'the containers share the cores with everything else',
    },
    {
      measure: '… containers that start at once',
      unit: 'containers',
      at_most: 4,
      samples: [most_starting],
      how: 'the most at any moment, looked at every 50 ms',
    },
    {
      measure: '… processor time of the service for each agent',
      unit: 's',
      samples: perAgent(after.service - before.service),
      how: 'one process, from the kill to the last answer',
    },
    {
      measure: '… with PostgreSQL',
      unit: 's',
      samples: perAgent(after.all - before.all),
      how: 'all their processes',
    },
  ];
}
