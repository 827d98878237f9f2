import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { startWorker } from '../../../ground/runs/worker.ts';
import { openDeployStage } from '../../../testing/agents/deploy-stage.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { labelsFrom } from './find-labels.ts';

test('a collector reads the names of agent and team, and the version of the revision', async () => {
  const stage = await openDeployStage();
  try {
    const { db } = stage.database;
    const ended = Promise.withResolvers<void>();
    const parts = { owner: 'test', poll_ms: 50, onError: ended.reject, onEnd: async () => ended.resolve() };
    const worker = await startWorker(db, { deploy: deployKind(stage.parts) }, parts);
    const { name, ref } = await stage.push();
    await stage.approve(ref);
    await deploy(stage.parts, await stage.cast.caller('dora'), { ref, force: false });
    await ended.promise;
    await worker.stop();

    const revision = await db.one<{ id: string; agent_id: string }>(sql`select id, agent_id from revision`);
    const agent_id = revision?.agent_id ?? '';
    const find = labelsFrom(db);
    const of_agent = { agent: name, team: 'ml' };
    expect(
      await find([
        { agent_id: randomUUID(), revision_id: null },
        { agent_id, revision_id: null },
        { agent_id, revision_id: revision?.id ?? '' },
      ]),
    ).toEqual([
      undefined,
      expect.objectContaining({ ...of_agent, version: null }),
      expect.objectContaining({ ...of_agent, version: '1.0.0' }),
    ]);
  } finally {
    await stage.close();
  }
});
