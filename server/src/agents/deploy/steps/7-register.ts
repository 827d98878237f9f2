// Step 7, one transaction. It registers the revision, moves the traffic, makes the version's content final, and writes the log entry. So
// every serving revision is registered and audited. After the commit, the run is neither cancelled nor undone.
import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import type { Database, Tx } from '../../../ground/database/database.ts';
import { newestAbout } from '../../../governance/audit/chain.ts';
import { activateAgentKey } from '../../../models/keys/holders/agent-keys.ts';
import { holdReferences } from '../../../assets/registry/references/pin-references.ts';
import { requestCancel } from '../../../ground/runs/run.ts';
import { finalise, setServing } from '../../../assets/registry/versions/version.ts';
import { requireSecrets } from '../../../assets/secrets/delivery.ts';
import { decideDeploy } from '../decide-deploy.ts';
import * as artefactStore from '../artefact-store.ts';
import { sbom } from '../build/sbom.ts';
import type { DeployRun } from '../deploy-run.ts';
import type { TargetFile } from '../targets/target.ts';
import type { InstalledPackage } from '../../../assets/images/installed.ts';
import { findVersionById } from '../../../assets/registry/find.ts';
import { loadVersionSummary } from '../../../assets/registry/versions/load-version-content.ts';
import type { DeployParts } from '../parts.ts';
import * as instanceStore from '../instance-store.ts';
import * as placementStore from '../placement-store.ts';
import * as store from '../store.ts';
import type { StartedInstance } from './6-start.ts';
import type { KeptMemory } from '../read-description.ts';
import { revisionMemory } from '../revision-memory.ts';
import { insertRevision } from '../revision-store.ts';
import { superseded } from './1-validate.ts';

export interface Registered {
  revision_id: string;
  approval_id: string | null;
  audit_seq: number | null;
}

export async function register(
  parts: DeployParts,
  run: DeployRun,
  made: {
    config: AgentConfig;
    image: string;
    /** Undefined for a rollback: the earlier revision has the bill of its image. */
    installed?: InstalledPackage[];
    /** Undefined in the record of a run that an earlier release began. */
    files?: readonly TargetFile[];
    started: readonly StartedInstance[];
    /** Undefined in the record of a run that an earlier release began. */
    memory: KeptMemory | undefined;
    key_id: string;
  },
): Promise<Registered> {
  const { agent_id, version_id, version, digest, target, rollback } = run.input;
  const bill = made.installed === undefined ? [] : [await billOf(parts.db, run, made.installed)];
  return await switchTo(parts, run, { revision_id: run.id, config: made.config }, async (tx, approval_id) => {
    if (!(await finalise(tx, { version_id, digest }))) throw superseded(run.input);
    const by = { deployed_by: run.actor.user_id, deployed_by_name: run.actor.name };
    await insertRevision(tx, {
      id: run.id,
      agent_id,
      version_id,
      version,
      digest,
      target,
      image: made.image,
      approval_id,
      key_id: made.key_id,
      ...(await revisionMemory(tx, { digest, said: made.memory })),
      ...by,
    });
    await artefactStore.insertArtefacts(tx, run.id, [...(made.files ?? []), ...bill]);
    if (rollback !== undefined)
      await artefactStore.copyArtefact(tx, { from: rollback.revision_id, to: run.id, name: billFile });
    await activateAgentKey(tx, made.key_id);
    if (made.files === undefined) await storePlaces(tx, run, made.started);
    for (const { id, url } of made.started)
      if (!(await instanceStore.setStarted(tx, { id, url, key_id: made.key_id })))
        throw new Error(`instance ${id} is gone`);
    return { image: made.image };
  });
}

/** A run that an earlier release began has made its places without rows. */
async function storePlaces(tx: Tx, run: DeployRun, started: readonly StartedInstance[]): Promise<void> {
  const { agent_id, agent, target } = run.input;
  await placementStore.insertPlacement(tx, { revision_id: run.id, agent_id, agent, target }, started);
  for (const { id, place, egress } of started) await instanceStore.setPlace(tx, id, { place, egress });
}

const billFile = 'sbom.cdx.json';

/** Its time is the push, so the same version has the same bill. */
async function billOf(
  db: Database,
  { input: { agent, version, version_id } }: DeployRun,
  installed: InstalledPackage[],
): Promise<TargetFile> {
  const { lock } = await loadVersionSummary(db, version_id);
  const created_at = (await findVersionById(db, version_id))?.pushed_at ?? '';
  const bill = sbom({ agent, version, installed, lock, created_at });
  return { file: billFile, content: `${JSON.stringify(bill, undefined, 2)}\n` };
}

/** A rollback to a revision whose instances still run. Undefined when they have just ended. */
export async function registerWarm(
  parts: DeployParts,
  run: DeployRun,
  { revision_id, config }: { revision_id: string; config: AgentConfig },
): Promise<Registered | undefined> {
  try {
    return await switchTo(parts, run, { revision_id, config }, async (tx) => {
      if ((await instanceStore.takeCallsAgain(tx, revision_id)) === 0) throw new NotWarm();
      return { warm: true };
    });
  } catch (error) {
    if (error instanceof NotWarm) return undefined;
    throw error;
  }
}

class NotWarm extends Error {}

/** The one transaction that moves traffic. `add` is what the revision needs in it, and returns what the entry says of that. */
async function switchTo(
  parts: DeployParts,
  run: DeployRun,
  { revision_id, config }: { revision_id: string; config: AgentConfig },
  add: (tx: GovernedTx, approval_id: string | null) => Promise<object>,
): Promise<Registered> {
  const { db, warm_ms } = parts;
  const { agent_id, version_id, version, digest, target, rollback } = run.input;
  const done = await store.deployment(db, run.id);
  if (done !== undefined && done.revision_id !== null) {
    const route = await store.route(db, agent_id, target);
    const audit_seq = route === undefined ? undefined : await newestAbout(db, `route:${route.route_id}`);
    return { revision_id: done.revision_id, approval_id: done.approval_id, audit_seq: audit_seq ?? null };
  }
  await cancelAfterStop(db, run);
  const { grant, caller, approval_id } = await decideDeploy(parts, run);
  await change(db, grant, rollback === undefined ? 'deploy' : 'deploy.rolled_back', async (tx, note) => {
    await run.settle(tx);
    await holdReferences(tx, { digest }, rollback === undefined ? {} : { onChanged: () => {} });
    await requireSecrets(tx, { agent_id, config }, { held: true });
    const replaced = await store.route(tx, agent_id, target, { lock: true });
    const added = await add(tx, approval_id);
    await store.switchRoute(tx, { agent_id, target, revision_id });
    await store.setRevisionOf(tx, run.id, revision_id);
    if (replaced !== undefined) {
      if (warm_ms === 0 || replaced.desired === 'stopped') await instanceStore.setAllDraining(tx, replaced.id);
      else await instanceStore.setWarm(tx, { agent_id, target, revision_id: replaced.id, warm_ms });
    }
    const routed = await store.route(tx, agent_id, target);
    if (routed?.is_default === true) await setServing(tx, agent_id, version_id);
    note({
      target,
      approval_id,
      version,
      digest,
      ...added,
      run_id: run.id,
      replaced: replaced?.id ?? null,
      ...(rollback === undefined
        ? {}
        : { to: rollback.revision_id, from_version: replaced?.version ?? null, reason: rollback.reason }),
    });
  });
  return { revision_id, approval_id, audit_seq: caller.origin.receipts.at(-1)?.seq ?? null };
}

/** A stop cancels the deploys that it finds. This covers a deploy that began earlier and was stored just after the stop had looked. */
async function cancelAfterStop(db: Database, { id, input }: DeployRun): Promise<void> {
  const [route, asked] = [await store.route(db, input.agent_id, input.target), await store.deployment(db, id)];
  if (route === undefined || route.stopped_at === null || asked === undefined) return;
  if (Date.parse(route.stopped_at) > Date.parse(asked.created_at)) await requestCancel(db, id);
}
