// Random organisations for tests of visibility: every input of a rule, in few rows.
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { actions, assetKinds, principalTypes, roles, type PrincipalType } from '@gantry/contract/roles.ts';
import type { StoredEntry } from '../../governance/access/acl.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import type { Person } from '../../people/principals/policy.ts';
import { findAssetsById, type AssetRecord } from '../../assets/registry/find.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import { insert, script } from '../stored/insert-rows.ts';
import { keyRow, randomKey } from './random-keys.ts';
import { grantRow, randomGrants } from './random-grants.ts';
import { notificationRow, randomNotification } from './random-notifications.ts';

const size = { users: 6, teams: 3, groups: 3, machines: 3, assets: 9 };
const names = ['search', 'web', 'mail'];
const globs = ['*/*', 'agents/*', 'tools/web-*', '*/search-*', 'm*/*', 'a*s/*-1', 'agent/*', 'prompts/mail-2'];
/** The times of teams and entries. */
export const times = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
const tables = [
  'secret',
  'notification, approval_vote, approval, permission, version, asset, service_key, service_principal',
  'gateway_key, reading_grant',
  'group_member, user_group, membership, app_user, team, audit.entry',
].flatMap((line) => line.split(', '));

const one = (of: keyof typeof size) => fc.nat(size[of] - 1);
const some = (of: keyof typeof size, maxLength: number) => fc.uniqueArray(one(of), { maxLength });
const role = fc.constantFrom(...roles, 'viewer' as const, 'admin' as const);
const time = fc.constantFrom(...times);
const array = <T>(each: fc.Arbitrary<T>, length: number) => fc.array(each, { minLength: length, maxLength: length });
/** A user, or a service principal. */
const actor = fc.oneof(
  one('users').map((n) => ({ kind: 'users' as const, n })),
  one('machines').map((n) => ({ kind: 'machines' as const, n })),
);
const entry = fc.record({
  type: fc.constantFrom(...principalTypes),
  n: fc.nat(size.groups - 1),
  actions: fc.uniqueArray(fc.constantFrom(...actions, 'read' as const), { minLength: 1, maxLength: 3 }),
});
const request = fc.record({
  status: fc.constantFrom('pending' as const, 'pending' as const, 'approved' as const, 'rejected' as const),
  by: actor,
  authors: fc.array(actor, { maxLength: 2 }),
  votes: some('users', 3),
  asked: fc.constantFrom(1, 1, 2),
});
export const organisation = fc.record({
  required: fc.constantFrom(1, 2),
  teams: array(time, size.teams),
  users: array(
    fc.record({
      role,
      active: fc.constantFrom(true, true, true, false),
      teams: fc.uniqueArray(fc.record({ team: one('teams'), role }), { maxLength: 2, selector: ({ team }) => team }),
    }),
    size.users,
  ),
  groups: array(fc.record({ team: one('teams'), members: some('users', 3) }), size.groups),
  machines: array(
    fc.record({
      team: one('teams'),
      role,
      allowed_assets: fc.uniqueArray(fc.constantFrom(...globs), { maxLength: 2 }),
      holders: some('users', 2),
    }),
    size.machines,
  ),
  assets: array(
    fc.record({
      kind: fc.constantFrom(...assetKinds),
      team: one('teams'),
      owner: one('users'),
      published: fc.boolean(),
      entries: fc.uniqueArray(entry, {
        maxLength: 4,
        selector: ({ type, n }) => (type === 'org' ? type : `${type} ${n}`),
      }),
      request,
    }),
    size.assets,
  ),
  reading: randomGrants(size),
  keys: array(randomKey(size), 12),
  notifications: array(randomNotification(size), 24),
  entries: array(
    fc.record({
      event: fc.constantFrom('refused', 'refused', 'asset.transferred', 'asset.created'),
      code: fc.constantFrom('not_found', 'exists', 'forbidden', undefined),
      actor: one('users'),
      team: fc.option(one('teams')),
      after: fc.option(one('teams')),
      asset: fc.option(one('assets')),
      time,
    }),
    24,
  ),
});
type Organisation = typeof organisation extends fc.Arbitrary<infer T> ? T : never;

/** All objects, readable or not. */
export interface Everything {
  /** Callers that can sign in, as a request loads them. */
  callers: SignedInCaller[];
  /** All users, also the disabled ones. */
  people: Person[];
  teams: { id: string; name: string; created_at: string }[];
  assets: AssetRecord[];
}

/** Once per database: organisations are inserted whole, without the audit log and the foreign keys. */
export async function openForOrganisations(db: Database): Promise<void> {
  await script(
    db,
    tables.concat('org').map((table) => `alter table ${table} disable trigger all`),
  );
  await db.run(sql`insert into org default values`);
}

/** Replaces the previous one. */
export async function putOrganisation(db: Database, made: Organisation): Promise<Everything> {
  await script(
    db,
    tables.map((table) => `delete from ${table}`),
  );
  const ofEach = (count: number) => Array.from({ length: count }, () => randomUUID() as string);
  const id = {
    users: ofEach(size.users),
    teams: ofEach(size.teams),
    groups: ofEach(size.groups),
    machines: ofEach(size.machines),
    assets: ofEach(size.assets),
  };
  const at = (of: keyof typeof id, n: number) => id[of][n] ?? fail();
  const who = ({ kind, n }: { kind: 'users' | 'machines'; n: number }) => at(kind, n);
  const ref = (n: number) => `${names[n % names.length]}-${n}`;
  const grantee: Record<PrincipalType, (n: number) => string | null> = {
    org: () => null,
    team: (n) => at('teams', n),
    user: (n) => at('users', n),
    group: (n) => at('groups', n),
    principal: (n) => at('machines', n),
    agent: (n) => at('assets', n),
    orchestration: (n) => at('assets', n),
  };
  await db.run(sql`update org set approvals_required = ${made.required}`);
  await insert(
    db,
    'team',
    made.teams.map((created_at, n) => ({ id: at('teams', n), name: `team-${n}`, created_at })),
  );
  await insert(
    db,
    'app_user',
    made.users.map(({ role: platform, active }, n) => ({
      id: at('users', n),
      email: `user-${n}@example.com`,
      name: `user-${n}`,
      role: platform,
      active,
      password_hash: 'x',
      must_change_password: false,
      seed_credential: false,
      created_at: times[0],
    })),
  );
  const memberships = made.users.flatMap(({ teams }, n) =>
    teams.map((each) => ({ ...owned(), team_id: at('teams', each.team), user_id: at('users', n), role: each.role })),
  );
  await insert(db, 'membership', memberships);
  await insert(
    db,
    'user_group',
    made.groups.map(({ team }, n) => ({
      id: at('groups', n),
      name: `group-${n}`,
      team_id: at('teams', team),
      description: '',
      created_at: times[0],
    })),
  );
  await insert(
    db,
    'group_member',
    made.groups.flatMap(({ team, members }, n) =>
      members.map((user) => ({
        ...owned(),
        group_id: at('groups', n),
        team_id: at('teams', team),
        user_id: at('users', user),
      })),
    ),
  );
  const grantIds = { holder: (to: 'user' | 'group', n: number) => grantee[to](n), team: (n: number) => at('teams', n) };
  await insert(
    db,
    'reading_grant',
    made.reading.map((grant) => grantRow(grant, grantIds)),
  );
  await insert(
    db,
    'service_principal',
    made.machines.map(({ team, role: inTeam, allowed_assets }, n) => ({
      id: at('machines', n),
      name: `machine-${n}`,
      team_id: at('teams', team),
      role: inTeam,
      allowed_assets,
      description: '',
      created_by: at('users', 0),
      created_at: times[0],
    })),
  );
  await insert(
    db,
    'service_key',
    made.machines.flatMap(({ holders }, n) =>
      holders.map((user) => ({
        ...owned(),
        principal_id: at('machines', n),
        digest: `\\x${randomBytes(8).toString('hex')}`,
        prefix: 'x',
        issued_to: at('users', user),
      })),
    ),
  );
  await insert(
    db,
    'asset',
    made.assets.map(({ kind, team, owner, published }, n) => ({
      ...owned(),
      id: at('assets', n),
      kind,
      name: ref(n),
      team_id: at('teams', team),
      owner_id: at('users', owner),
      description: '',
      tags: [],
      visibility: 'private',
      published,
      search: '',
      updated_at: times[0],
    })),
  );
  await insert(
    db,
    'permission',
    made.assets.flatMap(({ entries }, n) =>
      entries.map(({ type, n: to, actions: may }) => ({
        ...owned(),
        asset_id: at('assets', n),
        principal_type: type,
        principal_id: grantee[type](to),
        actions: may,
      })),
    ),
  );
  const scopes = [...id.teams.map((team_id) => ({ team_id })), ...id.assets.map((agent_id) => ({ agent_id }))];
  const secret = { team_id: null, agent_id: null, name: 'KEY', store: 'ours', created_by: 'x', changed_by: 'x' };
  await insert(
    db,
    'secret',
    scopes.map((scope) => ({ ...owned(), ...secret, ...scope, changed_at: times[0] })),
  );
  await insert(
    db,
    'gateway_key',
    made.keys.map((key) => ({ ...owned(), ...keyRow(key, id), created_by: at('users', 0) })),
  );
  const versions = ofEach(size.assets);
  const requests = ofEach(size.assets);
  await insert(
    db,
    'version',
    made.assets.map(({ request: { by, authors } }, n) => ({
      id: versions[n],
      asset_id: at('assets', n),
      version: '1.0.0',
      digest: 'x',
      state: 'draft',
      message: '',
      pushed_by: who(by),
      authors: authors.map(who),
      pushed_at: times[0],
    })),
  );
  await insert(
    db,
    'approval',
    made.assets.map(({ request: { status, by, asked } }, n) => ({
      id: requests[n],
      asset_id: at('assets', n),
      version_id: versions[n],
      version: '1.0.0',
      digest: 'x',
      target: 'local',
      message: 'please',
      status,
      closed_reason: status === 'rejected' ? 'rejected' : null,
      submitted_by: who(by),
      submitted_at: times[0],
      decided_at: status === 'pending' ? null : times[1],
      approvals_asked: asked,
    })),
  );
  await insert(
    db,
    'approval_vote',
    made.assets.flatMap(({ request: { votes } }, n) =>
      votes.map((user) => ({
        id: randomUUID(),
        approval_id: requests[n],
        user_id: at('users', user),
        reason: '',
        voted_at: times[0],
      })),
    ),
  );
  await insert(
    db,
    'notification',
    made.notifications.map((one, n) => ({
      ...owned(),
      ...notificationRow(one, n, times[0] ?? '', { ...id, requests }),
    })),
  );
  const entries = await db.all<StoredEntry>(sql`select * from permission`);
  // With all entries, for a decision about any caller.
  const assets = (await findAssetsById(db, id.assets, null)).map(({ entries_of: _, ...asset }) => ({
    ...asset,
    entries: entries.filter(({ asset_id }) => asset_id === asset.id),
  }));
  const refOf = (n: number | null) =>
    n === null ? null : (assets.find((asset) => asset.id === at('assets', n))?.ref ?? null);
  const teamName = (n: number | null) => (n === null ? null : `team-${n}`);
  await insert(
    db,
    'audit.entry',
    made.entries.map(({ event, code, actor: by, team, after, asset, time: occurred }, n) => ({
      chain: 'governance',
      seq: n + 1,
      occurred_at: occurred.replace('000Z', '000000Z'),
      body: JSON.stringify({
        schema: 1,
        event,
        outcome: 'done',
        actor: { kind: 'user', id: null, name: `user-${by}@example.com` },
        team: teamName(team),
        asset: refOf(asset),
        ip: null,
        request_id: null,
        detail: { code, ...(after === null ? {} : { after: { team: teamName(after) } }) },
      }),
      prev: '\\x00',
      hash: '\\x00',
      cluster: 0,
      xid: '1',
      targets: [],
    })),
  );
  const origin = { request_id: null, ip: null, receipts: [] };
  const callers = await Promise.all(
    [...id.users, ...id.machines].map(async (each) => await loadIdentity(db, each, origin)),
  );
  return {
    callers: callers.filter((caller) => caller !== undefined),
    people: made.users.map(({ role: platform, active }, n) => ({
      id: at('users', n),
      email: '',
      role: platform,
      active,
      memberships: memberships.filter(({ user_id }) => user_id === id.users[n]),
    })),
    teams: made.teams.map((created_at, n) => ({ id: at('teams', n), name: `team-${n}`, created_at })),
    assets,
  };
}

const owned = () => ({ id: randomUUID() as string, created_at: times[0] });

function fail(): never {
  throw new Error('an organisation refers to something that it does not have');
}
