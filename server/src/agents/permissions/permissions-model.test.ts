// Random histories of grants, revocations, memberships, roles, groups and disabled accounts, run on the service and on a one-page model.
// After every step both give the same verdict on the step and on later permissions.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Problem } from '@gantry/contract/problems.ts';
import { actions, roles, type Action, type Role } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../governance/access/acl.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller, type UserCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { decide } from '../../governance/access/decide.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { sql } from '../../ground/database/sql.ts';
import { mailedUntil } from '../../people/login/admit.ts';
import { addGroupMember, removeGroupMember } from '../../people/principals/groups.ts';
import { loadCaller } from '../../people/principals/load-caller.ts';
import { openEnvelope } from '../../ground/envelope/envelope.ts';
import { issuesUserKeys } from '../../models/keys/holders/member-keys.ts';
import { addMember, removeMember } from '../../people/principals/teams.ts';
import { updateUser } from '../../people/principals/users.ts';
import { findAssetById } from '../../assets/registry/find.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { writeEntries } from '../../assets/registry/principals/entries.ts';
import { stores } from '../../assets/secrets/stores/index.ts';
import { leavesInOrder } from '../../governance/access/when-leaves.ts';
import { whenLeaves } from '../../roles/leaving.ts';
import { grant } from './grant.ts';
import { revoke } from './revoke.ts';
import { defaultEntriesFor } from '../../governance/access/visibility.ts';
import { inSoak } from '../../testing/config.ts';

const people = ['root', 'ada', 'bob', 'eve', 'max'] as const;
const teams = ['ml', 'ops'] as const;
const groups = ['oncall', 'readers'] as const;
const assets = ['one', 'two', 'three'] as const;
type Person = (typeof people)[number];
type Team = (typeof teams)[number];
type Group = (typeof groups)[number];
type Asset = (typeof assets)[number];
type Grantee = 'org' | `user:${Person}` | `team:${Team}` | `group:${Group}`;

type Step =
  | { kind: 'grant' | 'revoke'; by: Person; asset: Asset; to: Grantee; actions: Action[] }
  | { kind: 'join'; by: Person; team: Team; who: Person; role: Role }
  | { kind: 'leave'; by: Person; team: Team; who: Person; assets_to: Person }
  | { kind: 'group add' | 'group remove'; by: Person; group: Group; who: Person }
  | { kind: 'role'; by: Person; who: Person; role: Role }
  | { kind: 'active'; by: Person; who: Person; active: boolean };

// --- The model: the spec and the decisions, without details of the service. ---

const teamOf: Record<Group, Team> = { oncall: 'ml', readers: 'ops' };
const rank = (role: Role) => roles.indexOf(role);
const needs: Record<Exclude<Action, 'deploy'>, Role> = {
  read: 'viewer',
  use: 'viewer',
  write: 'contributor',
  publish: 'contributor',
  admin: 'contributor',
};

class Model {
  role = new Map<Person, Role>(people.map((person) => [person, person === 'root' ? 'admin' : 'viewer']));
  active = new Map<Person, boolean>(people.map((person) => [person, true]));
  members = new Map<Team, Map<Person, Role>>([
    [
      'ml',
      new Map<Person, Role>([
        ['ada', 'contributor'],
        ['max', 'admin'],
      ]),
    ],
    ['ops', new Map<Person, Role>([['bob', 'contributor']])],
  ]);
  inGroup = new Map<Group, Set<Person>>(groups.map((group) => [group, new Set()]));
  team: Record<Asset, Team> = { one: 'ml', two: 'ml', three: 'ops' };
  owner: Record<Asset, Person> = { one: 'ada', two: 'ada', three: 'bob' };
  entries = new Map<Asset, Map<Grantee, Set<Action>>>(
    assets.map((asset) => [
      asset,
      new Map<Grantee, Set<Action>>([
        [`user:${this.owner[asset]}`, new Set(['read', 'use', 'write', 'publish', 'admin'])],
        [`team:${this.team[asset]}`, new Set(['read', 'use'])],
      ]),
    ]),
  );

  roleIn(who: Person, team: Team): Role {
    const [own, there] = [this.role.get(who) ?? 'viewer', this.members.get(team)?.get(who) ?? 'viewer'];
    return rank(own) > rank(there) ? own : there;
  }

  has(who: Person, asset: Asset, action: Action): boolean {
    const covers = (grantee: Grantee) =>
      grantee === 'org' ||
      grantee === `user:${who}` ||
      teams.some((team) => grantee === `team:${team}` && this.members.get(team)?.has(who)) ||
      groups.some((group) => grantee === `group:${group}` && this.inGroup.get(group)?.has(who));
    return [...(this.entries.get(asset) ?? [])].some(([grantee, may]) => may.has(action) && covers(grantee));
  }

  may(who: Person, asset: Asset, action: Exclude<Action, 'deploy'>): boolean {
    const role = this.roleIn(who, this.team[asset]);
    if (!this.active.get(who) || rank(role) < rank(needs[action])) return false;
    return role === 'admin' || (this.has(who, asset, 'read') && this.has(who, asset, action));
  }

  leads(who: Person, team: Team): boolean {
    return this.active.get(who) === true && this.roleIn(who, team) === 'admin';
  }

  /** Does the step, or returns false. */
  step(step: Step): boolean {
    switch (step.kind) {
      case 'grant':
      case 'revoke': {
        if (!this.may(step.by, step.asset, 'admin')) return false;
        const entries = this.entries.get(step.asset) ?? new Map<Grantee, Set<Action>>();
        const had = entries.get(step.to) ?? new Set();
        if (step.kind === 'revoke' && had.size === 0) return false;
        const next = new Set(had);
        for (const action of step.actions)
          if (step.kind === 'grant') next.add(action);
          else next.delete(action);
        const others = [...entries].some(([grantee, may]) => grantee !== step.to && may.has('admin'));
        if (had.has('admin') && !next.has('admin') && !others) return false;
        if (next.size === 0) entries.delete(step.to);
        else entries.set(step.to, next);
        return true;
      }
      case 'join':
        if (!this.leads(step.by, step.team)) return false;
        this.members.get(step.team)?.set(step.who, step.role);
        return true;
      case 'leave': {
        const members = this.members.get(step.team);
        if (!this.leads(step.by, step.team) || !members?.has(step.who)) return false;
        const owned = assets.filter((asset) => this.team[asset] === step.team && this.owner[asset] === step.who);
        const heir = step.assets_to !== step.who && members.has(step.assets_to) && this.active.get(step.assets_to);
        if (owned.length > 0 && !heir) return false;
        for (const asset of owned) this.bequeath(asset, step.assets_to);
        members.delete(step.who);
        for (const group of groups) if (teamOf[group] === step.team) this.inGroup.get(group)?.delete(step.who);
        return true;
      }
      case 'group add': {
        if (!this.leads(step.by, teamOf[step.group])) return false;
        if (!this.members.get(teamOf[step.group])?.has(step.who)) return false;
        this.inGroup.get(step.group)?.add(step.who);
        return true;
      }
      case 'group remove':
        return this.leads(step.by, teamOf[step.group]) && this.inGroup.get(step.group)?.delete(step.who) === true;
      case 'role':
      case 'active': {
        if (!this.active.get(step.by) || this.role.get(step.by) !== 'admin') return false;
        const [role, active] = [this.role.get(step.who) ?? 'viewer', this.active.get(step.who) ?? true];
        const next = step.kind === 'role' ? { role: step.role, active } : { role, active: step.active };
        const admins = people.filter(
          (one) => one !== step.who && this.role.get(one) === 'admin' && this.active.get(one),
        );
        const wasAdmin = role === 'admin' && active;
        if (wasAdmin && !(next.role === 'admin' && next.active) && admins.length === 0) return false;
        this.role.set(step.who, next.role);
        this.active.set(step.who, next.active);
        return true;
      }
    }
  }

  bequeath(asset: Asset, to: Person): void {
    const entries = this.entries.get(asset);
    const all = new Set<Action>(['read', 'use', 'write', 'publish', 'admin']);
    for (const action of entries?.get(`user:${to}`) ?? []) all.add(action);
    entries?.delete(`user:${this.owner[asset]}`);
    entries?.set(`user:${to}`, all);
    this.owner[asset] = to;
  }
}

// --- The service, in process on a real database. Each history has its own people, teams and assets. ---

let database: TestDatabase;
let histories = 0;

beforeAll(async () => {
  database = await testDatabase();
  const seed = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  await change(database.db, seed, 'org.seeded', async (tx) => {
    await tx.write('org', sql`insert into org default values returning id`);
  });
});
afterAll(async () => await database?.close());

class World {
  readonly ids = new Map<string, string>();
  readonly suffix = `${++histories}`;
  readonly email = (who: Person) => `${who}-${this.suffix}@example.com`;
  readonly name = (what: string) => `${what}-${this.suffix}`;
  readonly id = (what: string) => this.ids.get(what) ?? '';
  readonly parts = {
    db: database.db,
    issueKey: issuesUserKeys({ pepper: Buffer.alloc(32), envelope: openEnvelope(Buffer.alloc(32)) }),
    leaves: leavesInOrder(whenLeaves(stores({ envelope: openEnvelope(Buffer.alloc(32)) }))),
    mailedUntil,
  };

  async make(model: Model): Promise<void> {
    const seed = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
    await change(database.db, seed, 'org.seeded', async (tx) => {
      const put = async (what: string, table: string, query: ReturnType<typeof sql>) => {
        const [row] = await tx.write(table, query);
        this.ids.set(what, row?.id ?? '');
      };
      // Admins of other histories would count as further admins.
      await tx.write('app_user', sql`update app_user set active = false where active returning id`);
      for (const [who, role] of model.role)
        await put(
          who,
          'app_user',
          sql`insert into app_user (email, name, role, password_hash) values (${this.email(who)}, ${who}, ${role}, 'x') returning id`,
        );
      for (const [team, members] of model.members) {
        await put(team, 'team', sql`insert into team (name) values (${this.name(team)}) returning id`);
        for (const [who, role] of members)
          await tx.write(
            'membership',
            sql`insert into membership (team_id, user_id, role) values (${this.id(team)}, ${this.id(who)}, ${role}) returning id`,
          );
      }
      for (const group of groups)
        await put(
          group,
          'user_group',
          sql`insert into user_group (name, team_id) values (${this.name(group)}, ${this.id(teamOf[group])}) returning id`,
        );
      for (const asset of assets) {
        const [owner, team] = [this.id(model.owner[asset]), this.id(model.team[asset])];
        await put(
          asset,
          'asset',
          sql`insert into asset (kind, name, team_id, owner_id, visibility, search) values ('tool', ${this.name(asset)}, ${team}, ${owner}, 'team', '') returning id`,
        );
        await writeEntries(tx, this.id(asset), defaultEntriesFor(owner, team, 'team'));
      }
    });
  }

  async caller(who: Person): Promise<UserCaller | undefined> {
    return await loadCaller(database.db, this.id(who), { request_id: null, ip: null, receipts: [] });
  }

  async may(who: Person, asset: Asset, action: Exclude<Action, 'deploy'>): Promise<boolean> {
    const operation = {
      read: 'asset.read',
      use: 'asset.invoke',
      write: 'asset.write',
      publish: 'asset.publish',
      admin: 'permission.change',
    } as const;
    const caller = await this.caller(who);
    const subject = await findAssetById(database.db, this.id(asset), caller ?? null);
    return caller !== undefined && subject !== undefined && decide(caller, operation[action], subject).allowed;
  }

  /** Does the step, or returns false if the service refuses it. */
  async step(step: Step): Promise<boolean> {
    const caller = await this.caller(step.by);
    if (caller === undefined) return false;
    try {
      await this.make_step(caller, step);
      return true;
    } catch (error) {
      if (error instanceof Problem && error.code !== 'internal') return false;
      throw error;
    }
  }

  private async make_step(caller: UserCaller, step: Step): Promise<void> {
    const { db } = database;
    switch (step.kind) {
      case 'grant':
        await grant(db, caller, { ...this.resource(step.asset), ...this.principal(step.to), actions: step.actions });
        return;
      case 'revoke': {
        const { principal_type, principal_id } = this.principal(step.to);
        const id = principal_type === 'org' ? null : this.id(step.to.split(':')[1] ?? '');
        const entry = (await entriesOf(db, this.id(step.asset))).find(
          (one) => one.principal_type === principal_type && one.principal_id === id,
        );
        if (entry === undefined) throw new Problem('not_found', { detail: `${String(principal_id)} has no entry` });
        await revoke(db, caller, entry.id, step.actions);
        return;
      }
      case 'join':
        await addMember(this.parts, caller, {
          team: this.name(step.team),
          principal: `user:${this.email(step.who)}`,
          role: step.role,
        });
        return;
      case 'leave': {
        const leaving = { team: this.name(step.team), principal: `user:${this.email(step.who)}` };
        await removeMember(this.parts, caller, { ...leaving, assets_to: this.email(step.assets_to) });
        return;
      }
      case 'group add':
        await addGroupMember(db, caller, this.id(step.group), this.email(step.who));
        return;
      case 'group remove':
        await removeGroupMember(db, caller, this.id(step.group), this.id(step.who));
        return;
      case 'role':
        await updateUser(this.parts, caller, this.id(step.who), { role: step.role });
        return;
      case 'active':
        await updateUser(this.parts, caller, this.id(step.who), { active: step.active });
    }
  }

  private resource(asset: Asset) {
    return { resource_type: 'tool', resource_id: this.id(asset) } as const;
  }

  private principal(to: Grantee) {
    const [kind = '', name = ''] = to.split(':');
    if (kind === 'user') return { principal_type: 'user', principal_id: this.email(name as Person) } as const; // as Grantee defines
    if (kind === 'team' || kind === 'group') return { principal_type: kind, principal_id: this.name(name) } as const;
    return { principal_type: 'org', principal_id: null } as const;
  }
}

const person = fc.constantFrom(...people);
const team = fc.constantFrom(...teams);
const group = fc.constantFrom(...groups);
const role = fc.constantFrom(...roles);
const asset = fc.constantFrom(...assets);
const some = fc.uniqueArray(fc.constantFrom(...actions), { minLength: 1, maxLength: 3 });
const grantee = fc.oneof(
  fc.constant<Grantee>('org'),
  person.map((who): Grantee => `user:${who}`),
  team.map((one): Grantee => `team:${one}`),
  group.map((one): Grantee => `group:${one}`),
);
const kind = <const K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: kind('grant', 'revoke'), by: person, asset, to: grantee, actions: some }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('join'), by: person, team, who: person, role }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('leave'), by: person, team, who: person, assets_to: person }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('group add', 'group remove'), by: person, group, who: person }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('role'), by: person, who: person, role }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('active'), by: person, who: person, active: fc.boolean() }) },
);
const asked = fc.record({ who: person, asset, action: kind('read', 'use', 'write', 'publish', 'admin') });

// Of 200 steps each.
const history_count = inSoak(12, 200);

test(
  'random histories: the service and the model say the same of each step, and of the permissions after it',
  async () => {
    let steps = 0;
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, asked), { minLength: 200, maxLength: 200, size: 'max' }),
        async (history) => {
          const [model, world] = [new Model(), new World()];
          await world.make(model);
          for (const [one, { who, asset: about, action }] of history) {
            const wanted = model.step(one);
            expect({ ...one, allowed: await world.step(one) }).toEqual({ ...one, allowed: wanted });
            const verdict = { who, about, action, after: one };
            const allowed = await world.may(who, about, action);
            expect({ ...verdict, allowed }).toEqual({ ...verdict, allowed: model.may(who, about, action) });
            steps++;
            if (wanted) made++;
          }
        },
      ),
      { numRuns: history_count, endOnFailure: true },
    );
    expect(steps).toBeGreaterThanOrEqual(history_count * 200);
    // A history in which nothing is ever allowed would prove little.
    expect(made).toBeGreaterThan(steps / 20);
  },
  inSoak(480_000, 4_800_000),
);
