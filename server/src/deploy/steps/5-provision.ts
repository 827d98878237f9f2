// Step 5: the place of the revision, and its gateway key. Neither has an effect before step 7.
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { scalingOf } from '@gantry/contract/agent-yaml/scaling.ts';
import { settings } from '../../principals/find.ts';
import { loadVersionSummary } from '../../registry/versions/load-version-content.ts';
import { releasePlace, writeArtefacts } from '../artefacts.ts';
import type { BuiltImage } from '../build/build-image.ts';
import { sbom } from '../build/sbom.ts';
import { decideDeploy } from '../decide-deploy.ts';
import type { DeployRun } from '../deploy-run.ts';
import { refuseEgress } from '../egress.ts';
import * as instanceStore from '../instance-store.ts';
import * as store from '../store.ts';
import { instanceId } from '../instance-name.ts';
import type { DeployParts } from '../parts.ts';
import { endUnusedKeys, issueRevisionKey } from '../revision-key.ts';
import { placeInput } from '../start-container.ts';
import { findTarget } from '../targets/index.ts';
import type { Place } from '../targets/target.ts';
import { teamOf } from './team-of.ts';

export interface ProvisionedInstance {
  id: string;
  n: number;
  place: Place;
  egress: string[] | null;
}

// Decided again: during the build the approval may be revoked, or the deployer demoted.
export async function provision(
  parts: DeployParts,
  run: DeployRun,
  {
    config,
    built,
    signal,
  }: { config: AgentConfig; built: Pick<BuiltImage, 'image'> & Partial<BuiltImage>; signal: AbortSignal },
): Promise<{ instances: ProvisionedInstance[]; key_id: string }> {
  const { grant } = await decideDeploy(parts.db, run, parts.recordRefusal);
  const { agent, version, version_id, target } = run.input;
  // Also decided again: an admin may have changed the setting.
  refuseEgress(await settings(parts.db), config);
  const { lock } = await loadVersionSummary(parts.db, version_id);
  const bill = sbom({ agent, version, installed: built.installed ?? [], lock, created_at: new Date().toISOString() });
  const image = await findTarget(parts.targets, target).deliver(built.image, signal);
  const instances: ProvisionedInstance[] = [];
  const count = await countToStart(parts.db, run, config);
  for (let n = 1; n <= count; n++) {
    const id = instanceId({ revision_id: run.id, n });
    const input = await placeInput(parts.db, { id, n, revision_id: run.id, image, config }, run.fence);
    const { place, artefacts } = await findTarget(parts.targets, target).provision(input, signal);
    await writeArtefacts(parts, input.name, [...artefacts, { file: 'sbom.cdx.json', content: printJson(bill) }]);
    instances.push({ id, n, place, egress: input.egress ?? null });
  }
  const { id: team_id } = await teamOf(parts, run);
  return { instances, key_id: await issueRevisionKey(parts, run, { grant, config, team_id }) };
}

/** As many as serve now, so that the switch loses no capacity. */
async function countToStart(db: DeployParts['db'], { input }: DeployRun, config: AgentConfig): Promise<number> {
  const { min, max } = scalingOf(config);
  const route = await store.route(db, input.agent_id, input.target);
  const serving = route?.desired === 'running' ? await instanceStore.countTaking(db, route.id) : 0;
  return Math.min(max, Math.max(1, min, serving));
}

/** The undo. It finds the places by their label, because an interrupted provision stored none. */
export async function releaseProvisioned(parts: DeployParts, run: DeployRun): Promise<void> {
  const target = findTarget(parts.targets, run.input.target);
  const signal = AbortSignal.timeout(60_000);
  const made = (await target.list(signal)).filter(({ revision_id }) => revision_id === run.id);
  for (const instance of made) await releasePlace(parts, { ...instance, target: run.input.target }, signal);
  await endUnusedKeys(parts, run.input.agent_id);
}

const printJson = (document: object) => `${JSON.stringify(document, undefined, 2)}\n`;
