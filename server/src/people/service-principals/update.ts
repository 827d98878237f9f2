import { Problem } from '@gantry/contract/problems.ts';
import type { ServicePrincipal } from '@gantry/contract/people/service-principals.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { refuseIdle } from './refuse-idle.ts';
import { loadPrincipalRow, readBack } from './show.ts';
import * as store from './store.ts';

export async function updatePrincipal(
  { db }: ServicePrincipalParts,
  caller: Caller,
  id: string,
  changes: { [K in keyof store.ServicePrincipalChange]?: store.ServicePrincipalChange[K] | undefined },
): Promise<ServicePrincipal> {
  const { row, team } = await loadPrincipalRow(db, id);
  const grant = authorize(caller, 'principal.change', team);
  refuseIdle(changes.allowed_assets ?? []);
  await change(db, grant, 'principal.changed', async (tx, note) => {
    const before = await store.lockPrincipal(tx, id);
    if (before === undefined) throw new Problem('not_found');
    const after = {
      role: changes.role ?? before.role,
      allowed_assets: changes.allowed_assets ?? before.allowed_assets,
      description: changes.description ?? before.description,
    };
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await store.updatePrincipal(tx, id, after);
    note({ principal: `principal:${row.name}`, before, after });
  });
  return await readBack(db, id);
}
