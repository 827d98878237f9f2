// The callers in the tests of assets: two teams, each with a user of every role.
import type { Role } from '@gantry/contract/roles.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { systemCaller, type UserCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { loadCaller } from '../../people/principals/load-caller.ts';

const people = {
  root: { role: 'admin', teams: {} },
  root2: { role: 'admin', teams: {} },
  ada: { role: 'viewer', teams: { ml: 'contributor' } },
  bob: { role: 'viewer', teams: { ml: 'contributor' } },
  dora: { role: 'viewer', teams: { ml: 'deployer' } },
  vera: { role: 'viewer', teams: { ml: 'viewer' } },
  max: { role: 'viewer', teams: { ml: 'admin' } },
  otto: { role: 'viewer', teams: { ops: 'contributor' } },
  olga: { role: 'viewer', teams: { ops: 'admin' } },
  nemo: { role: 'viewer', teams: {} },
} as const satisfies Record<string, { role: Role; teams: Record<string, Role> }>;
export type Person = keyof typeof people;

export interface Cast {
  /** As of now. */
  caller(person: Person): Promise<UserCaller>;
  id(person: Person): string;
  team(name: 'ml' | 'ops'): string;
  /** Any governed statement, with its own entry. */
  write(table: string, query: ReturnType<typeof sql>): Promise<void>;
}

export const emailOf = (person: Person): string => `${person}@example.com`;

export async function seedCast(db: Database): Promise<Cast> {
  const grant = authorize(systemCaller('system.seed'), 'system.seed', theOrg);
  const teams = new Map<string, string>();
  const ids = new Map<Person, string>();
  await change(db, grant, 'org.seeded', async (tx) => {
    await tx.write('org', sql`insert into org default values returning id`);
    for (const name of ['ml', 'ops']) {
      const [row] = await tx.write('team', sql`insert into team (name) values (${name}) returning id`);
      teams.set(name, row?.id ?? '');
    }
    for (const [name, { role, teams: memberships }] of Object.entries(people)) {
      const [user] = await tx.write(
        'app_user',
        sql`insert into app_user (email, name, role, password_hash) values (${`${name}@example.com`}, ${name}, ${role}, 'x') returning id`,
      );
      ids.set(name as Person, user?.id ?? ''); // only keys of people
      for (const [team, inTeam] of Object.entries(memberships)) {
        await tx.write(
          'membership',
          sql`insert into membership (team_id, user_id, role) values (${teams.get(team)}, ${user?.id}, ${inTeam}) returning id`,
        );
      }
    }
  });
  const id = (person: Person) => ids.get(person) ?? '';
  return {
    id,
    team: (name) => teams.get(name) ?? '',
    caller: async (person) => {
      const caller = await loadCaller(db, id(person), { request_id: null, ip: '127.0.0.1', receipts: [] });
      if (caller === undefined) throw new Error(`${person} is not active`);
      return caller;
    },
    write: async (table, query) => {
      await change(db, grant, 'settings.changed', async (tx) => {
        await tx.write(table, query);
      });
    },
  };
}
