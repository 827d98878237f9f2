// A deploy: the spec's eight steps in their order, each done once, even after a crash (runs/). Promise: the serving revision
// is approved, registered and audited. Only the transaction of step 7 moves the traffic. Before it, a failure or a cancel removes
// the results of this run, and the old revision continues to answer. The revision has the id of its run.
import type { DeployStep } from '@gantry/contract/agents/deploy.ts';
import type { DeployResult, DeployRun } from './deploy-run.ts';
import { endpointOf } from './serving/endpoint.ts';
import type { DeployParts } from './parts.ts';
import { validate } from './steps/1-validate.ts';
import { authorizeDeploy } from './steps/2-authorize.ts';
import { resolve } from './steps/3-resolve.ts';
import { build } from './steps/4-build.ts';
import { provision, releaseProvisioned } from './steps/5-provision.ts';
import { start } from './steps/6-start.ts';
import { register } from './steps/7-register.ts';
import { teamOf } from './steps/team-of.ts';

export async function pipeline(parts: DeployParts, run: DeployRun): Promise<DeployResult> {
  const { db } = parts;
  const step: <T>(name: DeployStep, ...rest: StepRest<T>) => Promise<T> = (name, ...rest) => run.step(name, ...rest);

  const config = await step('validate', async (at) => validate(parts, at, await teamOf(parts, at)));
  await step('authorize', (at) => authorizeDeploy(parts, at));
  await step('resolve', (at) => resolve(db, at, config));
  const built = await step('build', (at) => build(parts, at, at.signal));
  const { key_id, instances, files } = await step(
    'provision',
    (at) => provision(parts, at, { config, image: built.image, signal: at.signal }),
    () => releaseProvisioned(parts, run),
  );
  const { started, memory, example_input } = await step('start', (at) =>
    start(parts, at, { config, instances, key_id, signal: at.signal }),
  );
  const registered = await step('register', (at) =>
    register(parts, at, { config, image: built.image, installed: built.installed, files, started, memory, key_id }),
  );
  return await step('endpoint', async () => ({
    endpoint: endpointOf(parts, run.input.agent),
    example_input,
    ...registered,
  }));
}

type StepRest<T> = [work: (run: DeployRun) => Promise<T>, undo?: (output: T | undefined) => Promise<void>];
