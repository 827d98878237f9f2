// Gateway keys. Promises: a key is shown once; it never allows more than its creator may give; a revoke that has answered admits no call.
import { randomUUIDv7 } from 'node:crypto';
import type { budgetDurations, GatewayKeyWithValue, KeyScope, Limits } from '@gantry/contract/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { authorize, type Grant } from '../access/authorize.ts';
import type { Caller, SignedInCaller } from '../access/caller.ts';
import { change } from '../access/change.ts';
import { theOrg } from '../access/subject.ts';
import { gatewayKeys, keyDigest, prefixOf } from '../key-form.ts';
import { openAccounts } from '../ledger/accounts.ts';
import { setLimits } from '../ledger/limits.ts';
import { loadTeam } from '../principals/load-team.ts';
import { installationId } from '../principals/find.ts';
import { signedIn } from '../principals/signed-in.ts';
import { findAsset, findAssetById } from '../registry/find.ts';
import { findServicePrincipal } from '../service-principals/find.ts';
import { accountsOf } from './accounts.ts';
import type { KeyParts } from './parts.ts';
import { loadKey, toRecords } from './record.ts';
import * as store from './store.ts';

export interface NewGatewayKey {
  alias?: string | undefined;
  scope: KeyScope;
  scope_id?: string | undefined;
  team?: string | undefined;
  models: string[];
  max_budget?: string | undefined;
  budget_duration: (typeof budgetDurations)[number];
  limits: Partial<Limits>;
  tags: string[];
  expires_in_days?: number | undefined;
}

export async function createKey(
  parts: KeyParts,
  caller: Caller,
  { alias, scope, scope_id, team, max_budget, budget_duration, limits, ...made }: NewGatewayKey,
): Promise<GatewayKeyWithValue> {
  const { db, pepper } = parts;
  const user = signedIn(caller);
  const { grant, ...of } = await scopeOf(parts, user, { scope, scope_id, team });
  const id = randomUUIDv7();
  const key = gatewayKeys.newKey();
  const prefix = prefixOf(key);
  const given: Limits = {
    daily_usd: null,
    weekly_usd: null,
    monthly_usd: null,
    requests_per_minute: null,
    tokens_per_minute: null,
    ...(max_budget === undefined ? {} : { [`${budget_duration}_usd`]: max_budget }),
    ...limits,
  };
  const key_alias = alias ?? `${scope}:${of.name}`;
  await change(db, grant, 'key.created', async (tx, note) => {
    const digest = keyDigest(pepper, key);
    await store.insertKey(tx, {
      ...made,
      id,
      alias: key_alias,
      scope,
      ...of,
      digest,
      prefix,
      created_by: user.id,
      expires_in_days: made.expires_in_days,
    });
    await openAccounts(tx, await accountsOf(tx, { id, ...of }));
    await setLimits(tx, id, given);
    const { models, tags } = made;
    note({ key: prefix, key_alias, scope, for: of.name, models, tags, limits: given });
  });
  const [record] = await toRecords(db, [await loadKey(db, user, id)]);
  if (record === undefined) throw new Error('the key was just stored');
  return { ...record, key };
}

interface Scope {
  grant: Grant;
  scope_id: string;
  name: string;
  team_id: string | null;
}

/** A key of one's own is for any member; one of a team, an agent or a service principal is for admins of its team. */
async function scopeOf(
  { db }: KeyParts,
  user: SignedInCaller,
  asked: Pick<NewGatewayKey, 'scope' | 'scope_id' | 'team'>,
): Promise<Scope> {
  const { scope, scope_id: named = '', team } = asked;
  if (scope !== 'user' && team !== undefined)
    throw new Problem('malformed', {
      detail: 'Only a key of one’s own is given a team; the others have the team of their scope.',
    });
  switch (scope) {
    case 'org':
      return {
        grant: authorize(user, 'key.manage_org', theOrg),
        scope_id: await installationId(db),
        name: 'org',
        team_id: null,
      };
    case 'team': {
      const subject = await loadTeam(db, named === '' ? payingTeam(user, undefined).name : named);
      return {
        grant: authorize(user, 'key.manage', subject),
        scope_id: subject.id,
        name: subject.name,
        team_id: subject.id,
      };
    }
    case 'agent': {
      const isNamedById: boolean = isId(named);
      const agent = isNamedById
        ? await findAssetById(db, named, user)
        : await findAsset(db, 'agent', named.replace(/^agents\//, ''), user);
      if (agent?.asset_kind !== 'agent') throw new Problem('not_found');
      authorize(user, 'asset.read', agent);
      const grant = authorize(user, 'key.manage', { ...agent.team, kind: 'team' });
      return { grant, scope_id: agent.id, name: agent.name, team_id: agent.team.id };
    }
    case 'principal': {
      const principal = await findServicePrincipal(db, named === '' && user.kind === 'principal' ? user.name : named);
      if (principal === undefined) throw new Problem('not_found');
      const subject = { kind: 'team', id: principal.team_id, name: principal.team } as const;
      const grant =
        principal.id === user.id ? authorize(user, 'key.create_own', theOrg) : authorize(user, 'key.manage', subject);
      return { grant, scope_id: principal.id, name: principal.name, team_id: subject.id };
    }
    case 'user': {
      if (named !== '' && named !== user.id && named !== user.label)
        throw new Problem('forbidden', { detail: 'A key of scope user is one’s own.', hint: 'Leave `scope_id` out.' });
      if (user.kind !== 'user')
        throw new Problem('forbidden', { detail: 'You are a service principal.', hint: 'Use `scope: principal`.' });
      const paying = payingTeam(user, team);
      return {
        grant: authorize(user, 'key.create_own', theOrg),
        scope_id: user.id,
        name: user.label,
        team_id: paying.id,
      };
    }
  }
}

function payingTeam(user: SignedInCaller, named: string | undefined): { id: string; name: string } {
  if (named === undefined) {
    if (user.active_team !== null) return user.active_team;
    throw new Problem('forbidden', { detail: 'You are in no team, and a team pays for each key.' });
  }
  const own = user.memberships.find(({ team }) => team === named);
  if (own === undefined) throw new Problem('not_in_team', { detail: `You are not in team:${named}.` });
  return { id: own.team_id, name: own.team };
}
