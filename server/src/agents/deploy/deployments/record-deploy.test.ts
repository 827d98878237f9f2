import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploySteps } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { startWorker } from '../../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../../testing/agents/deploy-stage.ts';
import type { Span } from '../../../models/traces/span.ts';
import { deploy } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import { recordDeploy } from './record-deploy.ts';

let stage: DeployStage;
beforeAll(async () => {
  stage = await openDeployStage();
});
afterAll(async () => await stage?.close());

test('an ended deploy is a trace with its own id and a span per step, and a failed step is an error', async () => {
  const { database, parts } = stage;
  const recorded: Span[][] = [];
  const next = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  const spans = { add: (added: readonly Span[]) => void recorded.push([...added]) };
  const worker = await startWorker(
    database.db,
    { deploy: deployKind(parts) },
    {
      owner: 'test',
      poll_ms: 50,
      onError: (error) => both.reject(error),
      onEnd: async (id) => {
        await recordDeploy(database.db, spans, id);
        (recorded.length === 1 ? next : both).resolve();
      },
    },
  );
  const { name, ref } = await stage.push();
  await stage.approve(ref);
  const caller = await stage.cast.caller('dora');
  const { id } = await deploy(parts, caller, { ref, force: false });
  await next.promise;
  const second = await stage.push({ name, version: '2.0.0' });
  await stage.approve(second.ref);
  stage.duringBuild = async () => await Promise.reject(new Problem('build_failed'));
  await deploy(parts, caller, { ref: second.ref, force: false });
  await both.promise;
  await worker.stop();

  const [root, ...steps] = recorded[0] ?? [];
  expect(root).toMatchObject({
    trace_id: id.replaceAll('-', ''),
    name: `deploy ${name}@1.0.0`,
    status: 'ok',
    source: 'deploy',
    run_id: id,
    caller_id: caller.id,
  });
  expect(steps.map(({ name: step, kind, parent_id }) => [step, kind, parent_id])).toEqual(
    deploySteps.map((step) => [step, 'step', root?.span_id]),
  );
  const failed = recorded[1]?.map(({ name: span, status, error }) => `${span} ${status} ${error}`);
  expect(failed?.[0]).toBe(`deploy ${name}@2.0.0 error build_failed`);
  expect(failed?.at(-1)).toBe('build error build_failed');
  expect(failed).toHaveLength(5);
});
