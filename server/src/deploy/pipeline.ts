// A deploy: the spec's eight steps in their order, each done once, even after a crash (runs/). Promise: the serving revision
// is approved, registered and audited. Only the transaction of step 7 moves the traffic. Before it, a failure or a cancel removes
// the results of this run, and the old revision continues to answer. The revision has the id of its run.
import type { AssetSubject } from '../access/subject.ts';
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import type { DeployStep } from '@gantry/contract/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { change } from '../access/change.ts';
import { settings } from '../principals/find.ts';
import { loadVersionSummary } from '../registry/versions/load-version-content.ts';
import { checkReferences } from '../registry/references/pin-references.ts';
import { findAssetById, findVersionById } from '../registry/find.ts';
import type { Run } from '../runs/run.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import { releasePlace, writeArtefacts } from './artefacts.ts';
import type { BuiltImage } from './build-image.ts';
import { sbom } from './build/sbom.ts';
import { decideDeploy } from './decide-deploy.ts';
import type { DeployInput, DeployResult } from './deploy-run.ts';
import { refuseEgress } from './egress.ts';
import { endpointOf } from './endpoint.ts';
import { exampleInput } from './example-input.ts';
import type { DeployParts } from './parts.ts';
import { placeInput, startContainer } from './start-container.ts';
import { readyNotices } from './ready-notices.ts';
import { register } from './register.ts';
import { endUnusedKeys, issueRevisionKey } from './revision-key.ts';
import * as store from './store.ts';
import type { Place } from './targets/target.ts';
import { loadDecided, validate } from './validate.ts';

type Deploy = Run<DeployInput>;

export async function pipeline(parts: DeployParts, run: Deploy): Promise<DeployResult> {
  const { db } = parts;
  const step: <T>(name: DeployStep, ...rest: StepRest<T>) => Promise<T> = (name, ...rest) => run.step(name, ...rest);

  const config = await step('validate', async () => validate(db, run, await teamOf(parts, run)));
  await step('authorize', () => decide(parts, run));
  await step('resolve', () => resolve(db, run, config));
  const built = await step('build', (signal) => build(parts, run, signal));
  const { key_id, ...place } = await step(
    'provision',
    (signal) => provision(parts, run, { config, built, signal }),
    () => release(parts, run),
  );
  const { url, example_input } = await step('start', (signal) => start(parts, run, { config, place, key_id, signal }));
  const registered = await step('register', () =>
    register(parts, run, { config, image: built.image, place, url, key_id }),
  );
  return await step('endpoint', async () => ({
    endpoint: endpointOf(parts, run.input.agent),
    example_input,
    ...registered,
  }));
}

type StepRest<T> = [work: (signal: AbortSignal) => Promise<T>, undo?: (output: T | undefined) => Promise<void>];

async function decide(parts: DeployParts, run: Deploy) {
  const { grant, approval_id } = await decideDeploy(parts.db, run, parts.recordRefusal);
  await store.setApproval(parts.db, run.id, approval_id);
  if (grant.bypass === 'approval') {
    await change(parts.db, grant, 'deploy.bypassed_approval', async (tx, note) => {
      await run.fenced(tx);
      const { version, digest, target } = run.input;
      note({ version, digest, target, approval_id, run_id: run.id });
    });
  }
  return { because: grant.because, bypass: grant.bypass ?? null, approval_id };
}

async function resolve(db: DeployParts['db'], { input }: Deploy, config: AgentConfig) {
  const pins = await checkReferences(db, input);
  const secrets = await requireSecrets(db, { agent_id: input.agent_id, config });
  return { pins, secrets: secrets.map(({ name }) => name) };
}

async function build(parts: DeployParts, run: Deploy, signal: AbortSignal) {
  const content = await loadDecided(parts.db, run.input);
  const { untraced } = content.dependencies;
  if (untraced !== undefined) run.notice(`not traced: ${untraced}`);
  const version = await findVersionById(parts.db, run.input.version_id);
  return await parts.builder.build({
    agent: run.input.agent,
    team_id: (await teamOf(parts, run)).id,
    content,
    created_at: version?.pushed_at ?? '',
    run: { run_id: run.id, fence: run.fence },
    onLog: (line) => run.log(line),
    signal,
  });
}

// Decided again: during the build the approval may be revoked, or the deployer demoted.
async function provision(
  parts: DeployParts,
  run: Deploy,
  { config, built, signal }: { config: AgentConfig; built: BuiltImage; signal: AbortSignal },
): Promise<Place & { key_id: string }> {
  const { grant } = await decideDeploy(parts.db, run, parts.recordRefusal);
  const { agent, version, version_id, target } = run.input;
  // Also decided again: an admin may have changed the setting.
  refuseEgress(await settings(parts.db), config);
  const place = await parts.targets[target].provision(
    await placeInput(parts.db, { revision_id: run.id, image: built.image, config }, run.fence),
    signal,
  );
  const { lock } = await loadVersionSummary(parts.db, version_id);
  const bill = sbom({ agent, version, installed: built.installed, lock, created_at: new Date().toISOString() });
  await writeArtefacts(parts, place, { compose_file: place.compose_file, sbom: bill });
  const { compose_file: _, ...made } = place;
  const { id: team_id } = await teamOf(parts, run);
  return { ...made, key_id: await issueRevisionKey(parts, run, { grant, config, team_id }) };
}

async function start(
  parts: DeployParts,
  run: Deploy,
  { config, place, key_id, signal }: { config: AgentConfig; place: Place; key_id: string; signal: AbortSignal },
) {
  const target = parts.targets[run.input.target];
  const { url, ready } = await startContainer(parts, target, {
    revision_id: run.id,
    agent_id: run.input.agent_id,
    config,
    place,
    key_id,
    signal,
  });
  for (const notice of readyNotices(ready)) run.notice(notice);
  return { url, example_input: exampleInput(ready) };
}

async function teamOf({ db }: DeployParts, { input }: Deploy): Promise<AssetSubject['team']> {
  const asset = await findAssetById(db, input.agent_id, null);
  if (asset === undefined) throw new Problem('not_found', { detail: `agents/${input.agent} no longer exists.` });
  return asset.team;
}

// Found by its label: an interrupted provision stored no place.
async function release(parts: DeployParts, run: Deploy): Promise<void> {
  const target = parts.targets[run.input.target];
  const signal = AbortSignal.timeout(60_000);
  const made = (await target.list(signal)).filter(({ revision_id }) => revision_id === run.id);
  for (const { place } of made) await releasePlace(parts, place, signal);
  await endUnusedKeys(parts, run.input.agent_id);
}
