import { printRef } from '@gantry/contract/refs.ts';
import { authorize } from '../access/authorize.ts';
import type { SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { teamsToRead } from '../access/reading.ts';
import { theOrg } from '../access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../http/cursor.ts';
import type { Handlers } from '../http/handlers.ts';
import { sinceWhen } from '../../people/principals/find.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findNames } from '../../people/service-principals/find.ts';
import { exportLog } from './export.ts';
import { beginning, streamEntries } from './stream.ts';
import { readPositions, requireKnown } from './positions.ts';
import { checkpointLines } from '../proof/checkpoints/checkpoint-lines.ts';
import type { ProofParts } from '../proof/parts.ts';
import { prove } from '../proof/inclusion/prove.ts';
import { verify } from '../proof/verification/verify.ts';
import { readRef } from '../../assets/registry/assets/read-ref.ts';
import { mayReadEntry, type Named, type Scope } from './policy.ts';
import * as store from './store.ts';

export interface AuditParts {
  db: Database;
  cursors: Cursors;
  proof: ProofParts;
  /** Signs new entries. */
  seal: () => Promise<void>;
  ownedBy: (user_id: string) => Promise<Named[]>;
}

export function auditRoutes({ db, cursors, proof, seal, ownedBy }: AuditParts): Handlers<'audit'> {
  return {
    'audit.list': async ({ caller, query }) => {
      const user = signedIn(caller);
      authorize(user, 'audit.read', theOrg);
      const { limit, cursor, ...asked } = query;
      const filter = filterOf(asked);
      const reader = ['audit', user.id, filter];
      const scope = await scopeOf({ db, ownedBy }, user);
      const rows = await store.list(
        db,
        filter,
        scope,
        limit + 1,
        cursors.read(cursor, reader) as store.PageKey | undefined,
      ); // sealed by the call below
      return cursors.page(
        rows,
        limit,
        reader,
        (row) => [row.occurred_at, row.chain, row.seq],
        (row) => {
          const entry = store.toEntry(row);
          return mayReadEntry(scope, entry) ? entry : undefined;
        },
      );
    },
    'audit.follow': async ({ caller, query, headers, signal, callerNow }) => {
      authorize(signedIn(caller), 'audit.read', theOrg);
      const seen = headers.get('last-event-id');
      const from = seen === null ? await beginning(db, query.since) : readPositions(seen);
      await requireKnown(db, from);
      const scopeNow = async () => await scopeOf({ db, ownedBy }, signedIn(await callerNow()));
      return streamEntries(db, { filter: filterOf(query), scopeNow, from, signal });
    },
    'audit.export': async ({ caller, query }) => {
      const grant = authorize(caller, 'audit.export', theOrg);
      return await exportLog(db, query, {
        record: async (exported) => {
          await change(db, grant, 'audit.exported', async (_, note) => note({ ...exported }));
          await seal();
        },
        checkpoints: (chain, after) => checkpointLines(db, chain, after),
      });
    },
    'audit.verify': async ({ caller, query }) => {
      const grant = authorize(caller, 'audit.verify', theOrg);
      // The verification then covers the newest entries too.
      await seal();
      const found = await verify(proof, query);
      const { verdict } = found;
      // An entry in a damaged log proves nothing, and its append can fail.
      if (verdict !== 'damaged') {
        const entries = Object.fromEntries(found.chains.map(({ chain, entries }) => [chain, entries]));
        await change(db, grant, 'audit.verified', async (_, note) => note({ verdict, entries }));
        await seal();
      }
      return found;
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

// Platform admins read all entries, team admins those of their teams, and a grant gives the same. Everybody reads their own actions and entries about their own assets.
async function scopeOf(
  { db, ownedBy }: Pick<AuditParts, 'db' | 'ownedBy'>,
  user: SignedInCaller,
): Promise<Scope | undefined> {
  const team_ids = teamsToRead(user, 'read_audit');
  if (team_ids === 'all') return undefined;
  const [since, teams] = await Promise.all([sinceWhen(db, [user.id, ...team_ids]), findNames(db, team_ids)]);
  const named = (id: string, name: string) => ({ name, created_at: since.get(id) ?? new Date().toISOString() });
  return {
    teams: teams.map(({ id, name }) => named(id, name)),
    assets: await ownedBy(user.id),
    actor: named(user.id, user.label),
  };
}

function filterOf({
  user,
  asset,
  ...filter
}: Omit<store.Filter, 'actor'> & { user?: string | undefined }): store.Filter {
  return { ...filter, actor: user?.toLowerCase(), asset: asset && printRef(readRef(asset)) };
}
