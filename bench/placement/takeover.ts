// Two services on one database. The one that executes a deploy is killed with -9. The other one begins the step again.
import { setTimeout as sleep } from 'node:timers/promises';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { hasEnded } from '../../contract/src/agents/run-states.ts';
import { openServices } from '../../e2e/services.ts';
import { sql } from '../../server/src/ground/database/sql.ts';
import { connectEngine } from '../../server/src/assets/docker/client.ts';
import { installationId } from '../../server/src/people/principals/find.ts';
import { removeLeftovers } from '../../server/src/testing/engine-leftovers.ts';
import type { Row } from '../report/row.ts';
import { pushProject } from '../service/deploy-project.ts';

export async function measureTakeover({ rounds }: { rounds: number }): Promise<Row[]> {
  const services = await openServices({ count: 2, roles: 'api,worker,ingress,gateway' });
  const { db } = services;
  const engine = connectEngine({ installation_id: await installationId(db) });
  const project = join(services.directory, 'slow');
  await cp(resolve(import.meta.dirname, '../../examples/langgraph-greeter'), project, { recursive: true });
  // The deploy stays in the step `start`.
  const code = await readFile(join(project, 'agent.py'), 'utf8');
  await writeFile(join(project, 'agent.py'), `${code}\nimport time\ntime.sleep(600)\n`);
  try {
    const { ref } = await pushProject(services.admin(0), project);
    const takeovers_s: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { id } = await services.admin(0).call('deployments.create', { body: { ref, force: true } });
      const run = async () =>
        (await db.one<{ owner: string | null; attempt: number }>(sql`
          select r.owner, coalesce(s.attempt, 0) as attempt from run r
          left join run_step s on s.run_id = r.id and s.name = 'start' where r.id = ${id}`)) ?? {
          owner: null,
          attempt: 0,
        };
      const attempt = async (wanted: number) => {
        const deadline = AbortSignal.timeout(120_000);
        while ((await run()).attempt < wanted) await sleep(20, undefined, { signal: deadline });
      };
      await attempt(1);
      // The moment within the lease's renewals is random.
      await sleep(Math.random() * 2000);
      const pid = Number((await run()).owner?.split(':').at(-2));
      const victim = [0, 1].find((n) => services.pidOf(n) === pid) ?? 0;
      const killed_at = performance.now();
      await services.kill(victim);
      await attempt(2);
      takeovers_s.push((performance.now() - killed_at) / 1000);
      const admin = services.admin(1 - victim);
      await admin.call('deployments.cancel', { params: { id } });
      const deadline = AbortSignal.timeout(120_000);
      while (!hasEnded((await admin.call('deployments.show', { params: { id } })).state))
        await sleep(100, undefined, { signal: deadline });
      await services.start(victim);
    }
    const how = `kill -9 of the service that executes a deploy, until the other one begins its step again, ${rounds} times`;
    return [{ measure: 'takeover of a run to its first step', unit: 's', at_most: 8, samples: takeovers_s, how }];
  } finally {
    await services.stop();
    await removeLeftovers(engine);
  }
}
