import { Problem } from '@gantry/contract/problems.ts';
import { parseRef, printRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { UserCaller } from '../access/caller.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { signedIn } from '../principals/signed-in.ts';
import type { ProofParts } from '../proof/parts.ts';
import { prove } from '../proof/prove.ts';
import { verify } from '../proof/verify.ts';
import * as store from './store.ts';

export interface AuditParts {
  db: Database;
  cursors: Cursors;
  proof: ProofParts;
  /** Signs what is new. */
  seal: () => Promise<void>;
  ownedBy: (user_id: string) => Promise<store.OwnedAsset[]>;
}

export function auditRoutes({ db, cursors, proof, seal, ownedBy }: AuditParts): Handlers<'audit'> {
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
      // So that what is vouched for is what is there now, and not as of a minute ago.
      await seal();
      return await verify(proof, query);
    },
    'audit.prove': async ({ caller, params }) => {
      authorize(caller, 'audit.verify', theOrg);
      return await prove(proof, { seal, ...params });
    },
    'audit.key': async ({ caller }) => {
      authorize(caller, 'audit.verify', theOrg);
      return { log: proof.log_name, public_key: proof.key.public_pem };
    },
  };
}

// Platform admins read all; team admins their team's; everybody their own doings and what concerns their own assets.
async function scopeOf(user: UserCaller, ownedBy: AuditParts['ownedBy']): Promise<store.Scope | undefined> {
  if (user.role === 'admin') return undefined;
  const team_names = user.memberships.filter(({ role }) => role === 'admin').map(({ team }) => team);
  return { team_names, assets: await ownedBy(user.id), actor: user.email };
}

function canonicalRef(text: string): string {
  const ref = parseRef(text);
  if (ref === undefined)
    throw new Problem('bad_reference', { detail: `${JSON.stringify(text)} is not an asset reference.` });
  return printRef(ref);
}
