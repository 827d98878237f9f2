// The return to a revision that has run before. It passes the same check and approval as a deploy. A warm revision takes the calls again.
// Otherwise a new revision gets the stored image, with today's secret values.
import type { Deployment } from '@gantry/contract/agents/deploy.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { loadAgentConfig } from '../../../assets/registry/versions/load-version-content.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { RunKind } from '../../../ground/runs/run.ts';
import { ensureImage } from '../build/ensure-image.ts';
import { gatedSubject } from '../decide-deploy.ts';
import { enqueueDeploy, requireDeployable } from '../deploy.ts';
import { deployKind } from '../deploy-kind.ts';
import type { DeployInput, DeployResult, DeployRun } from '../deploy-run.ts';
import { endpointOf } from '../serving/endpoint.ts';
import { findVersionToDeploy } from '../deployments/find-version-to-deploy.ts';
import * as instanceStore from '../instance-store.ts';
import { look } from '../keep/condition.ts';
import type { DeployParts } from '../parts.ts';
import { authorizeDeploy } from '../steps/2-authorize.ts';
import { resolve } from '../steps/3-resolve.ts';
import { provision, releaseProvisioned } from '../steps/5-provision.ts';
import { start } from '../steps/6-start.ts';
import { register, registerWarm } from '../steps/7-register.ts';
import * as store from '../store.ts';
import { findRoute, type Named } from './operated.ts';
import { isReturnable } from './warm.ts';

export interface RollbackWish {
  to?: string | undefined;
  reason?: string | undefined;
}

export async function rollback(
  parts: DeployParts,
  caller: Caller,
  on: Named,
  { to, reason }: RollbackWish,
): Promise<Deployment> {
  const user = signedIn(caller);
  const { revision, wanted } = await findRollback(parts, caller, on, to);
  const { grant, approval_id } = await requireDeployable(parts, user, wanted, { isRollback: true });
  const back = { revision_id: revision.id, reason: reason ?? null };
  return await enqueueDeploy(parts, user, { wanted, grant, approval_id, rollback: back });
}

/** Throws `not_deployed`, or `no_earlier_revision`. */
export async function findRollback(
  { db }: Pick<DeployParts, 'db'>,
  caller: Caller,
  { name, target }: Named,
  to?: string,
) {
  const user = signedIn(caller);
  const asset = await loadAsset(db, { kind: 'agent', name }, caller);
  authorize(user, 'asset.read', asset);
  const route = await findRoute(db, asset, target);
  const revision = await store.earlierRevision(db, route, to);
  if (revision === undefined) {
    // The refusal comes first.
    const config = await loadAgentConfig(db, route.version_id);
    authorize(user, 'agent.deploy', await gatedSubject(db, asset, { ...route, config }));
    throw new Problem('no_earlier_revision', {
      detail:
        to === undefined
          ? `${asset.ref} has run with no other content on ${route.target}.`
          : `${asset.ref}@${to} is not an earlier revision on ${route.target}.`,
      hint: `List what has run: svc deployments list ${name}`,
    });
  }
  const ref = `${asset.ref}@${revision.version}`;
  return { revision, wanted: await findVersionToDeploy(db, user, { ref, target: route.target }) };
}

export function rollbackKind(parts: DeployParts): RunKind<DeployInput> {
  return { ...deployKind(parts), work: async (run) => await goBack(parts, run) };
}

async function goBack(parts: DeployParts, run: DeployRun): Promise<DeployResult> {
  const { db } = parts;
  const { agent, version_id, rollback: wish } = run.input;
  if (wish === undefined) throw new Error(`rollback ${run.id} names no revision`);
  const config = await loadAgentConfig(db, version_id);
  await run.step('authorize', async (at) => await authorizeDeploy(parts, at));
  await run.step('resolve', async (at) => await resolve(db, at, config));
  const made = await run.step(
    'provision',
    async (at) => {
      if (await isWarm(parts, wish.revision_id, at.signal)) return null;
      const revision = await store.revision(db, wish.revision_id);
      if (revision === undefined) throw new Problem('no_earlier_revision');
      const image = await ensureImage(parts, revision, at.signal);
      return { image, ...(await provision(parts, at, { config, image, signal: at.signal })) };
    },
    async () => await releaseProvisioned(parts, run),
  );
  const started = await run.step('start', async (at) =>
    made === null ? null : await start(parts, at, { ...made, config, signal: at.signal }),
  );
  const registered = await run.step('register', async (at) => {
    if (made !== null && started !== null) return await register(parts, at, { ...made, ...started, config });
    const warm = await registerWarm(parts, at, { revision_id: wish.revision_id, config });
    if (warm !== undefined) return warm;
    throw new Problem('start_failed', {
      detail: 'The containers of the earlier revision have just ended.',
      hint: `Roll back again: svc rollback ${agent} --target ${run.input.target}`,
    });
  });
  return await run.step('endpoint', async () => ({
    endpoint: endpointOf(parts, agent),
    example_input: started?.example_input ?? null,
    ...registered,
  }));
}

/** True when all its warm instances answer, and nothing that they have was revoked or changed. */
async function isWarm(parts: DeployParts, revision_id: string, signal: AbortSignal): Promise<boolean> {
  const rows = (await instanceStore.instancesOfRevision(parts.db, revision_id)).filter(({ is_warm }) => is_warm);
  if (rows.length === 0 || !(await isReturnable(parts.db, revision_id))) return false;
  const looks = await Promise.all(rows.map(async (row) => await look(parts, row, signal)));
  return looks.every(({ found }) => found.state === 'serving');
}
