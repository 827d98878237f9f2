// Lists load candidates from the database and decide each of them in TypeScript. This test uses random organisations. No condition omits a
// row that its rule allows, each list contains exactly the rows that the rule allows, and each total is their number.
import { randomBytes, randomUUID } from 'node:crypto';
import { leavesInOrder } from './when-leaves.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makersOf } from '../../agents/approvals/approvers.ts';
import { list as listApprovals } from '../../agents/approvals/list.ts';
import { partIn, readsWords, waitingFor, whereReadsWords, whereWaitingFor } from '../../agents/approvals/policy.ts';
import type { ApprovalRow } from '../../agents/approvals/store.ts';
import { votesOf } from '../../agents/approvals/vote-store.ts';
import { mayReadEntry, whereMayReadEntry, type Scope } from '../audit/policy.ts';
import { columns, toEntry, type Row } from '../audit/store.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql, type Sql } from '../../ground/database/sql.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { cursors as sealedCursors } from '../http/cursor.ts';
import { listKeys } from '../../models/keys/list.ts';
import {
  isListed as isListedKey,
  readsBudget,
  whereListed as whereListedKeys,
  whereReadsBudget,
  type OfAccount,
  type OfScope,
} from '../../models/keys/policy.ts';
import { countsOf } from '../../telling/notifications/count.ts';
import { list as listNotifications } from '../../telling/notifications/list.ts';
import {
  isRecipient,
  isToldOfAccount,
  readablePart,
  runsToTell,
  whereRecipient,
  whereToldOfAccount,
  whereToldOfRuns,
} from '../../telling/notifications/policy.ts';
import type { NotificationRow } from '../../telling/notifications/store.ts';
import { adminsOf } from '../../people/principals/find.ts';
import { listGroups } from '../../people/principals/groups.ts';
import { isAdminOf, isListedOfTeam, whereAdminOf, whereListedOfTeam } from '../../people/principals/policy.ts';
import { listTeams } from '../../people/principals/teams.ts';
import { findReadable, type AssetRecord } from '../../assets/registry/find.ts';
import { list as listAssets } from '../../assets/registry/assets/list.ts';
import { isListed, whereListed } from '../../assets/registry/policy.ts';
import { listSecrets } from '../../assets/secrets/list.ts';
import { isSecretListed, whereSecretIsListed } from '../../assets/secrets/policy.ts';
import type { SecretRow } from '../../assets/secrets/store.ts';
import { stores } from '../../assets/secrets/stores/index.ts';
import { listPrincipals } from '../../people/service-principals/list.ts';
import {
  openForOrganisations,
  organisation,
  putOrganisation,
  times,
  type Everything,
} from '../../testing/random/random-organisation.ts';
import { readsSpan, whereReadsSpan } from '../../models/traces/policy.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import type { SignedInCaller } from './caller.ts';
import { canRead, covers, decide, whereCanRead, whereCovers } from './decide.ts';
import { listGrants, mayListGrant, whereMayListGrant } from './reading-grants.ts';
import type { Entry } from './subject.ts';

const runs = 8;
const cursors = sealedCursors(randomBytes(32));
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  ({ db } = database);
  await openForOrganisations(db);
});
afterAll(async () => await database?.close());

interface Rows {
  all: readonly { id: string }[];
  /** Ids that the rule allows. */
  allowed: readonly { id: string }[];
  /** Ids that the condition accepts. */
  candidates: Sql;
}
/** Counts of allowed and refused rows for each rule. */
const tally = new Map<string, { allowed: number; refused: number }>();

test('no list omits a row that its rule allows or shows a row that its rule refuses', async () => {
  await fc.assert(
    fc.asyncProperty(organisation, async (made) => {
      const world = await load(await putOrganisation(db, made));
      await expectWithin(adminsAreWithin(world));
      await expectWithin(recipientsAreWithin(world));
      await expectWithin(toldOfAccountsAreWithin(world));
      await expectWithin(toldOfRunsAreWithin(world));
      expect(await decidersFound(world)).toEqual(world.assets.map(({ id }) => ids(world.deciders.get(id) ?? [])));
      await Promise.all(
        world.callers.map(async (caller) => {
          await expectWithin(callersRows(world, caller));
          await expectLists(world, caller);
        }),
      );
    }),
    { numRuns: runs, endOnFailure: true },
  );
  // A rule with always the same answer would prove little.
  expect(tally.size).toBe(16);
  for (const [rule, { allowed, refused }] of tally)
    expect({ rule, both: allowed > 0 && refused > 0 }).toEqual({ rule, both: true });
});

type World = Awaited<ReturnType<typeof load>>;

/** All rows, and for each asset the callers who may decide its requests, according to decide(). */
async function load(everything: Everything) {
  const { assets, callers } = everything;
  const requests = await db.all<ApprovalRow>(sql`
    select r.*, greatest(r.approvals_asked, o.approvals_required) as approvals_required from approval r cross join org o`);
  const log = await db.all<Row>(sql`select ${columns} from audit.entry`);
  const decides = (asset: AssetRecord) => callers.filter((caller) => decide(caller, 'approval.decide', asset).allowed);
  const keys = await db.all<OfKey>(sql`
    select k.id, k.scope, k.scope_id, k.team_id, t.name as team from gateway_key k left join team t on t.id = k.team_id`);
  return {
    ...everything,
    requests,
    makers: await makersOf(db, requests),
    votes: await votesOf(db, requests),
    deciders: new Map(assets.map((asset) => [asset.id, decides(asset)])),
    entries: await db.all<Entry & { id: string }>(sql`select * from permission`),
    notifications: await db.all<NotificationRow>(sql`select * from notification order by seq desc`),
    log: log.map((row) => ({ id: `${row.seq}`, ...toEntry(row) })),
    groups: await db.all<OfTeam>(sql`select id, team_id from user_group`),
    secrets: await db.all<SecretRow>(
      sql`select s.*, t.name as team from secret s left join team t on t.id = s.team_id`,
    ),
    machines: await db.all<OfTeam>(sql`select id, team_id from service_principal`),
    keys,
    grants: await listGrants(db, { limit: 200 }),
    accounts: accountsOf(everything, keys),
    spans: spansOf(everything),
    assetOf: (id: string) => found(assets.find((asset) => asset.id === id)),
  };
}

type OfKey = OfScope & { id: string };

/** Spans of each agent, of a deleted one, and of calls without an agent. */
function spansOf({ assets, teams, callers }: Everything) {
  const caller_ids = [null, ...callers.map(({ id }) => id)];
  const owners = [
    ...[...assets.map(({ id }) => id), randomUUID()].map((agent_id) => ({ agent_id, team_id: null })),
    ...[null, ...teams.map(({ id }) => id)].map((team_id) => ({ agent_id: null, team_id })),
  ];
  return owners.flatMap((owner) => caller_ids.map((caller_id) => ({ id: randomUUID(), ...owner, caller_id })));
}

interface OfTeam {
  id: string;
  team_id: string;
}

/** Accounts of the organisation, each team, each user and service principal in each team, and each key. */
function accountsOf({ teams, callers }: Everything, keys: readonly OfKey[]): (OfAccount & { id: string })[] {
  const nobody = { team_id: null, team: null, user_id: null, principal_id: null, key_scope: null, key_scope_id: null };
  const ofTeams = teams.map(({ id, name }) => ({ ...nobody, team_id: id, team: name }));
  const ofHolders = callers.flatMap(({ kind, id }) =>
    ofTeams.map((of) => ({ ...of, ...(kind === 'user' ? { user_id: id } : { principal_id: id }) })),
  );
  const ofKeys = keys.map(({ scope, scope_id, team_id, team }) => {
    const user_id = scope === 'user' ? scope_id : null;
    return { ...nobody, team_id, team, user_id, key_scope: scope, key_scope_id: scope_id };
  });
  return [nobody, ...ofTeams, ...ofHolders, ...ofKeys].map((of) => ({ ...of, id: randomUUID() }));
}

function adminsAreWithin({ people, teams }: World): (readonly [string, Rows])[] {
  return [...teams.map(({ id }) => id), undefined].map((team_id) => [
    'isAdminOf',
    {
      all: people,
      allowed: people.filter((person) => isAdminOf(person, team_id)),
      candidates: sql`select u.id from app_user u where ${whereAdminOf(team_id === undefined ? [] : [team_id])}`,
    },
  ]);
}

async function decidersFound({ teams, assets }: World): Promise<string[][]> {
  const all = teams.map(({ id }) => id);
  const admins = await adminsOf(db, all);
  return assets.map(({ team }) => ids(admins.get(team.id) ?? []));
}

function recipientsAreWithin({ people, requests, assetOf }: World): (readonly [string, Rows])[] {
  const happened = requests.flatMap(({ submitted_by, asset_id }) => {
    const { team, owner_id } = assetOf(asset_id);
    const by_machine = !people.some(({ id }) => id === submitted_by);
    const about = { actor_id: found(people[0]).id, submitted_by, team_id: team.id, owner_id, by_machine };
    return [
      { ...about, audience: 'admins' as const },
      { ...about, audience: 'submitter' as const },
    ];
  });
  return happened.map((one) => [
    'isRecipient',
    {
      all: people,
      allowed: people.filter((person) => isRecipient(person, one)),
      candidates: sql`select u.id from app_user u where ${whereRecipient(one)}`,
    },
  ]);
}

function toldOfAccountsAreWithin({ people, teams }: World): (readonly [string, Rows])[] {
  const team_ids = [...teams.map(({ id }) => id), null];
  const accounts = team_ids.flatMap((team_id) =>
    [true, false].map((one) => ({ team_id, team_has_admin: one, for_platform: !one, owner_id: found(people[0]).id })),
  );
  return accounts.map((account) => [
    'isToldOfAccount',
    {
      all: people,
      allowed: people.filter((person) => isToldOfAccount(person, account)),
      candidates: sql`select u.id from app_user u where ${whereToldOfAccount(account)}`,
    },
  ]);
}

function toldOfRunsAreWithin({ people, teams }: World): (readonly [string, Rows])[] {
  const named = people.map((person) => ({
    ...person,
    memberships: person.memberships.map((one) => ({
      ...one,
      team: found(teams.find(({ id }) => id === one.team_id)).name,
    })),
  }));
  const runs_of = new Map([[found(people[0]).id, 2]]);
  const answerers = [[], ['role:deployer'], ['role:admin'], teams.slice(-1).map(({ name }) => `team:${name}`)];
  const about = teams.flatMap(({ id }) => answerers.map((may_answer) => ({ runs_of, team_id: id, may_answer })));
  return about.map((one) => [
    'runsToTell',
    {
      all: named,
      allowed: named.filter((person) => runsToTell(person, one) > 0),
      candidates: sql`select u.id from app_user u where ${whereToldOfRuns(one)}`,
    },
  ]);
}

function callersRows(world: World, caller: SignedInCaller): (readonly [string, Rows])[] {
  const { entries, assets, requests, teams, secrets, keys, grants, accounts, spans, log, assetOf } = world;
  const scope = scopeOf(world, caller);
  const requested = sql`approval r join asset a on a.id = r.asset_id join version v on v.id = r.version_id`;
  return Object.entries({
    covers: {
      all: entries,
      allowed: entries.filter((entry) => covers(entry, caller)),
      candidates: sql`select p.id from permission p where ${whereCovers(caller)}`,
    },
    canRead: {
      all: assets,
      allowed: assets.filter((asset) => canRead(caller, asset)),
      candidates: sql`select a.id from asset a where ${whereCanRead(caller)}`,
    },
    isListed: {
      all: assets,
      allowed: assets.filter((asset) => isListed(caller, asset)),
      candidates: sql`select a.id from asset a where ${whereListed(caller)}`,
    },
    readsWords: {
      all: requests,
      allowed: requests.filter((row) => readsWords(caller, row, assetOf(row.asset_id))),
      candidates: sql`select r.id from ${requested} where ${whereReadsWords(caller)}`,
    },
    waitingFor: {
      all: requests,
      allowed: waitingForCaller(world, caller),
      candidates: sql`select r.id from ${requested} where ${whereWaitingFor(caller)}`,
    },
    isListedOfTeam: {
      all: teams,
      allowed: teams.filter((team) => isListedOfTeam(caller, 'team.read', team)),
      candidates: sql`select id from team where ${whereListedOfTeam(caller, sql`id`)}`,
    },
    isSecretListed: {
      all: secrets,
      allowed: secrets.filter((row) =>
        isSecretListed(
          caller,
          row,
          assets.find(({ id }) => id === row.agent_id),
        ),
      ),
      candidates: sql`select s.id from secret s left join asset a on a.id = s.agent_id where ${whereSecretIsListed(caller)}`,
    },
    mayListGrant: {
      all: grants,
      allowed: grants.filter((grant) => mayListGrant(caller, grant)),
      candidates: sql`select g.id from reading_grant g where ${whereMayListGrant(caller)}`,
    },
    isListedKey: {
      all: keys,
      allowed: keys.filter((key) => isListedKey(caller, key)),
      candidates: sql`select k.id from gateway_key k where ${whereListedKeys(caller)}`,
    },
    readsBudget: {
      all: accounts,
      allowed: accounts.filter((of) => readsBudget(caller, of)),
      candidates: sql`
        select id from jsonb_to_recordset(${JSON.stringify(accounts)}::jsonb) as of_account
          (id uuid, team_id uuid, team text, user_id uuid, principal_id uuid, key_scope text, key_scope_id uuid)
        where ${whereReadsBudget(caller)}`,
    },
    readsSpan: {
      all: spans,
      allowed: spans.filter((span) =>
        readsSpan(
          caller,
          span,
          assets.find(({ id }) => id === span.agent_id),
        ),
      ),
      candidates: sql`
        select s.id from jsonb_to_recordset(${JSON.stringify(spans)}::jsonb) as s (id uuid, agent_id uuid, team_id uuid, caller_id uuid)
        left join asset a on a.id = s.agent_id where ${whereReadsSpan(caller)}`,
    },
    mayReadEntry: {
      all: log,
      allowed: log.filter((entry) => mayReadEntry(scope, entry)),
      candidates: sql`select seq::text as id from audit.entry where ${whereMayReadEntry(scope)}`,
    },
  });
}

function waitingForCaller({ requests, deciders, makers, votes }: World, caller: SignedInCaller): ApprovalRow[] {
  return requests.filter((row) => {
    const made = found(makers.get(row.id));
    const able = (deciders.get(row.asset_id) ?? []).filter(({ id }) => partIn(made, id) === undefined);
    return row.status === 'pending' && waitingFor(row, able, votes.get(row.id) ?? []).waits_for.includes(caller);
  });
}

/** The teams and assets of the caller in the log. Before the second time the actor was another one. */
function scopeOf({ teams, assets }: World, { id, label, memberships }: SignedInCaller): Scope {
  const led = memberships.filter(({ role }) => role === 'admin').map(({ team_id }) => team_id);
  const owned = assets.filter(({ owner_id }) => owner_id === id);
  return {
    teams: teams.filter((team) => led.includes(team.id)),
    assets: owned.map(({ ref, created_at }) => ({ name: ref, created_at })),
    actor: { name: label, created_at: found(times[1]) },
  };
}

/** The answers of the operations, each compared with the rule on all rows. */
async function expectLists(world: World, caller: SignedInCaller): Promise<void> {
  const { assets, requests, teams, groups, machines, secrets, keys, notifications, assetOf } = world;
  const asked = { limit: 200, cursor: undefined, total: true };
  const readable = await findReadable(db, caller, ids(assets));
  expect(ids(readable)).toEqual(ids(assets.filter((asset) => canRead(caller, asset))));
  const listed = await listAssets(db, cursors, caller, asked);
  expect(ids(listed.items)).toEqual(ids(assets.filter((asset) => isListed(caller, asset))));
  expect(listed.total).toBe(listed.items.length);

  const shown = requests.filter((row) => {
    const asset = assetOf(row.asset_id);
    return canRead(caller, asset) && readsWords(caller, row, asset);
  });
  const approvals = await listApprovals(db, cursors, caller, asked);
  expect(ids(approvals.items)).toEqual(ids(shown));
  expect(approvals.total).toBe(shown.length);
  const waiting = ids(waitingForCaller(world, caller).filter((row) => shown.includes(row)));
  const listedWaiting = await listApprovals(db, cursors, caller, { ...asked, status: 'waiting' });
  expect(ids(listedWaiting.items)).toEqual(waiting);
  expect(listedWaiting.total).toBe(waiting.length);

  const teamOf = (id: string) => found(teams.find((team) => team.id === id));
  const theirs = teams.filter((team) => isListedOfTeam(caller, 'team.read', team));
  expect(ids((await listTeams(db, cursors, caller, asked)).items)).toEqual(ids(theirs));
  const theirGroups = groups.filter(({ team_id }) => isListedOfTeam(caller, 'group.read', teamOf(team_id)));
  expect(ids((await listGroups(db, cursors, caller, asked)).items)).toEqual(ids(theirGroups));
  const theirMachines = machines.filter(({ team_id }) => isListedOfTeam(caller, 'principal.read', teamOf(team_id)));
  const parts = {
    db,
    cursors,
    digest_key: Buffer.alloc(32),
    leaves: leavesInOrder([]),
    issueGatewayKey: async () => 'none',
  };
  expect(ids((await listPrincipals(parts, caller, asked)).items)).toEqual(ids(theirMachines));

  const theirSecrets = secrets.filter((row) =>
    isSecretListed(
      caller,
      row,
      assets.find(({ id }) => id === row.agent_id),
    ),
  );
  const secretParts = {
    db,
    cursors,
    stores: stores({ envelope: openEnvelope(randomBytes(32)) }),
    findUsers: async () => [],
  };
  expect(ids((await listSecrets(secretParts, caller, asked)).items)).toEqual(ids(theirSecrets));
  const keyParts = { db, cursors, pepper: Buffer.alloc(32), envelope: openEnvelope(Buffer.alloc(32)) };
  const theirKeys = keys.filter((key) => isListedKey(caller, key));
  const listedKeys = await listKeys(keyParts, caller, { ...asked, all: true });
  expect(ids(listedKeys.items)).toEqual(ids(theirKeys));
  expect(listedKeys.total).toBe(theirKeys.length);

  if (caller.kind !== 'user') return;
  const own = notifications.filter(({ user_id }) => user_id === caller.id);
  const readableParts = own.flatMap(
    (row) =>
      readablePart(
        caller,
        row,
        assets.find(({ id }) => id === row.asset_id),
      ) ?? [],
  );
  const page = await listNotifications(db, async () => false, cursors, caller, { ...asked, unread: false });
  expect(page.items.map(({ id, text }) => [id, text])).toEqual(readableParts.map(({ id, words }) => [id, words]));
  const unread = readableParts.filter(({ read_at }) => read_at === null).length;
  expect(await countsOf(db, caller)).toEqual({
    pending: waitingForCaller(world, caller).length,
    unread,
    waiting_runs: 0,
    waiting_calls: 0,
    waiting_questions: 0,
    waiting_consents: 0,
  });
}

/** One statement for all conditions: the number of statements takes the time. */
async function expectWithin(rules: readonly (readonly [string, Rows])[]): Promise<void> {
  const each = rules.map(([, { candidates }], n) => sql`select ${n}::int as n, id::text from (${candidates}) as c`);
  const let_through = Map.groupBy(
    await db.all<{ n: number; id: string }>(each.reduce((one, other) => sql`${one} union all ${other}`)),
    ({ n }) => n,
  );
  for (const [n, [rule, { all, allowed }]] of rules.entries()) {
    const candidates = new Set(ids(let_through.get(n) ?? []));
    expect({ rule, left_out: ids(allowed).filter((id) => !candidates.has(id)) }).toEqual({ rule, left_out: [] });
    const before = tally.get(rule) ?? { allowed: 0, refused: 0 };
    const refused = all.length - allowed.length;
    tally.set(rule, { allowed: before.allowed + allowed.length, refused: before.refused + refused });
  }
}

const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('an organisation refers to something that it does not have');
  return value;
}
