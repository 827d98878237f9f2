// Step 7, one transaction. It registers the revision, moves the traffic, makes the version's content final, and writes the log entry. So
// every serving revision is registered and audited. After the commit, the run is neither cancelled nor undone.
import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import { change } from '../access/change.ts';
import { newestAbout } from '../audit/chain.ts';
import { activateAgentKey } from '../keys/agent-keys.ts';
import { holdReferences } from '../registry/references/pin-references.ts';
import { finalise, setServing } from '../registry/versions/version.ts';
import type { Run } from '../runs/run.ts';
import { requireSecrets } from '../secrets/delivery.ts';
import { decideDeploy } from './decide-deploy.ts';
import type { DeployInput } from './deploy-run.ts';
import type { DeployParts } from './parts.ts';
import * as store from './store.ts';
import type { Place } from './targets/target.ts';
import { superseded } from './validate.ts';

export interface Registered {
  revision_id: string;
  approval_id: string | null;
  audit_seq: number | null;
}

export async function register(
  parts: DeployParts,
  run: Run<DeployInput>,
  made: { config: AgentConfig; image: string; place: Place; url: string; key_id: string },
): Promise<Registered> {
  const { db } = parts;
  const before = await store.revision(db, run.id);
  if (before !== undefined) {
    const audit_seq = (await newestAbout(db, `revision:${before.id}`)) ?? null;
    return { revision_id: before.id, approval_id: before.approval_id, audit_seq };
  }
  const { grant, caller, approval_id } = await decideDeploy(db, run, parts.recordRefusal);
  const { agent_id, version_id, version, digest, target } = run.input;
  await change(db, grant, 'deploy', async (tx, note) => {
    await run.settle(tx);
    if (!(await finalise(tx, { version_id, digest }))) throw superseded(run.input);
    await holdReferences(tx, { digest });
    await requireSecrets(tx, { agent_id, config: made.config }, { held: true });
    const replaced = await store.route(tx, agent_id, target, { lock: true });
    const by = { deployed_by: run.actor.user_id, deployed_by_name: run.actor.name };
    await store.insertRevision(tx, {
      id: run.id,
      agent_id,
      version_id,
      version,
      digest,
      target,
      image: made.image,
      approval_id,
      key_id: made.key_id,
      ...by,
    });
    await activateAgentKey(tx, made.key_id);
    await store.insertInstance(tx, { revision_id: run.id, place: made.place, url: made.url, key_id: made.key_id });
    await store.switchRoute(tx, { agent_id, target, revision_id: run.id });
    if (replaced !== undefined) await store.setDraining(tx, replaced.id);
    await setServing(tx, agent_id, version_id);
    note({ target, approval_id, version, digest, image: made.image, run_id: run.id, replaced: replaced?.id ?? null });
  });
  return { revision_id: run.id, approval_id, audit_seq: caller.origin.receipts.at(-1)?.seq ?? null };
}
