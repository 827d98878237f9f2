import { Problem } from '@gantry/contract/problems.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { setServing } from '../../../assets/registry/versions/version.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import { findOperable, noteOf } from './operated.ts';

/** From now on, new calls go to this target. Calls that have begun end where they are. Throws `not_deployed` for a target that takes none. */
export async function setDefaultTarget(
  { db }: Pick<DeployParts, 'db'>,
  caller: Caller,
  { name, target }: { name: string; target: string },
): Promise<void> {
  const { asset, grant } = await findOperable({ db }, caller, { name, target });
  await change(db, grant, 'agent.target_changed', async (tx, note) => {
    const routes = await store.lockRoutes(tx, asset.id);
    const [before, after] = [routes.find((one) => one.is_default), routes.find((one) => one.target === target)];
    if (before === undefined || after === undefined)
      throw new Problem('not_deployed', { detail: `${asset.ref} is not deployed on ${target}.` });
    if (after.is_default) return;
    if (after.desired === 'stopped') {
      const hint = `Start it: svc start ${name} --target ${target}`;
      throw new Problem('not_deployed', { detail: `${asset.ref} is stopped on ${target}.`, hint });
    }
    await store.moveDefault(tx, { from: before.route_id, to: after.route_id });
    await setServing(tx, asset.id, after.version_id);
    note({ ...noteOf(after), before: before.target, after: target });
  });
}
