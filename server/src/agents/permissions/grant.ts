import { Problem } from '@gantry/contract/problems.ts';
import { printGrantee } from '@gantry/contract/refs.ts';
import type { Permission } from '@gantry/contract/people/permissions.ts';
import { actionsOfAssets, type Action } from '@gantry/contract/roles.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { changeEntries } from './change-entries.ts';
import type { EntryPrincipal } from '../../governance/access/acl.ts';
import { findPrincipal, type WrittenPrincipal } from './find-principal.ts';
import { findResource, type Resource } from './find-resource.ts';
import { permissionRecords } from './records.ts';

/** Adds actions to a principal. Actions that it already has change nothing. */
export async function grant(
  db: Database,
  caller: Caller,
  asked: Resource & WrittenPrincipal & { actions: readonly Action[] },
): Promise<Permission> {
  const user = signedIn(caller);
  const asset = await findResource(db, asked, user);
  if (asset === undefined) throw new Problem('not_found');
  const leave = authorize(user, 'permission.change', asset);
  const principal = { ...(await findPrincipal(db, asked)), shown: printGrantee(asked) };
  requireFitting(principal, asked.actions);
  const decide = (before: readonly Action[]) => [...new Set([...before, ...asked.actions])];
  const entry = await changeEntries(db, leave, { asset, principal, decide });
  const [record] = entry === undefined ? [] : await permissionRecords(db, [entry], [asset]);
  if (record === undefined) throw new Error('a grant left no entry');
  return record;
}

/** An asset only calls: with more, its pushers would get rights that nobody granted to them. */
function requireFitting(
  { principal_type, shown }: EntryPrincipal & { shown: string },
  actions: readonly Action[],
): void {
  if (principal_type !== 'agent' && principal_type !== 'orchestration') return;
  const excess = actions.filter((action) => !actionsOfAssets.some((fitting) => fitting === action));
  if (excess.length === 0) return;
  throw new Problem('invalid', {
    detail: `${shown} can get ${actionsOfAssets.join(' and ')}, but not ${excess.join(', ')}.`,
    errors: [{ pointer: '/actions', message: `must be of ${actionsOfAssets.join(', ')}` }],
  });
}
