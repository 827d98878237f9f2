import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, printRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { signedIn } from '../principals/signed-in.ts';
import * as store from './store.ts';
import { verify } from './verify.ts';

export interface AuditParts {
  db: Database;
  cursors: Cursors;
  ownedBy: (user_id: string) => Promise<store.OwnedAsset[]>;
}

export function auditRoutes({ db, cursors, ownedBy }: AuditParts): Handlers<'audit'> {
  return {
    'audit.list': async ({ caller, query }) => {
      const user = signedIn(caller);
      authorize(user, 'audit.read', theOrg);
      const { limit, cursor, user: actor, asset, ...filter } = query;
      const reader = ['audit', user.id, filter, actor, asset];
      const rows = await store.list(
        db,
        { ...filter, actor, asset: asset && canonicalRef(asset) },
        await scopeOf(user, ownedBy),
        limit + 1,
        cursors.read(cursor, reader) as store.PageKey | undefined,
      ); // sealed by the call below
      return cursors.page(rows, limit, reader, (row) => [row.occurred_at, row.chain, row.seq], store.toEntry);
    },
    'audit.verify': async ({ caller, query }) => {
      authorize(caller, 'audit.verify', theOrg);
      return await verify(db, query.head);
    },
  };
}

// Platform admins read all; team admins their team's; everybody their own doings and what concerns their own assets.
async function scopeOf(user: SignedInCaller, ownedBy: AuditParts['ownedBy']): Promise<store.Scope | undefined> {
  if (user.role === 'admin') return undefined;
  const team_names = user.memberships.filter(({ role }) => role === 'admin').map(({ team }) => team);
  return { team_names, assets: await ownedBy(user.id), actor: user.label };
}

function canonicalRef(text: string): string {
  const ref = parseRef(text);
  if (ref === undefined)
    throw new Problem('bad_reference', { detail: `${JSON.stringify(text)} is not an asset reference.` });
  return printRef(ref);
}
