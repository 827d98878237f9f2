import { afterAll, beforeAll, expect, test } from 'vitest';
import { runEvents } from '../../ground/runs/events.ts';
import { startWorker, type Worker } from '../../ground/runs/worker.ts';
import { openDeployStage, type DeployStage } from '../../testing/agents/deploy-stage.ts';
import { deploy } from './deploy.ts';
import { deployKind } from './deploy-kind.ts';
import type { SecretFiles } from './targets/target.ts';

let stage: DeployStage;
let worker: Worker;
beforeAll(async () => {
  stage = await openDeployStage();
  const kinds = { deploy: deployKind(stage.parts) };
  worker = await startWorker(stage.database.db, kinds, { owner: 'test', onError: () => {} });
});
afterAll(async () => {
  await worker?.stop();
  await stage?.close();
});

test.each([
  ['an agent is traced', '', undefined],
  ['an agent that opts out has a wrapper without tracing', 'deploy: {tracing: {enabled: false}}\n', 'off'],
])('%s', async (_, yaml, traces) => {
  const started: SecretFiles[] = [];
  const target = stage.targets.local;
  const { start } = target;
  target.start = async (place, files, ...more) => {
    started.push(files);
    return await start(place, files, ...more);
  };
  const { name, ref } = await stage.push({ yaml });
  const { id } = await deploy(stage.parts, await stage.cast.caller('root'), { ref, force: false });
  for await (const _ of runEvents(stage.database.db, id, 0, AbortSignal.timeout(20_000)));
  target.start = start;
  expect(started).toEqual([expect.objectContaining({ SVC_AGENT_NAME: name })]);
  expect(started[0]?.['SVC_TRACES']).toBe(traces);
});
