import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorize } from '../../governance/access/authorize.ts';
import { change } from '../../governance/access/change.ts';
import { leavesInOrder } from '../../governance/access/when-leaves.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { sql } from '../../ground/database/sql.ts';
import { emailOf, seedCast, type Cast, type Person } from '../../testing/access/cast.ts';
import { testDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { refuseTooFewAdmins, warnOfTooFewAdmins } from './enough-admins.ts';
import { addMember, removeMember } from './teams.ts';

let database: TestDatabase;
let cast: Cast;
beforeAll(async () => {
  database = await testDatabase();
  cast = await seedCast(database.db);
});
afterAll(async () => await database?.close());
beforeEach(async () => {
  await cast.write('app_user', sql`update app_user set active = true where role = 'admin' returning id`);
  await bind(false);
});

const bind = async (to: boolean, approvals_required = 1) =>
  await cast.write(
    'org',
    sql`update org set require_approval_for_admins = ${to}, approvals_required = ${approvals_required} returning id`,
  );
const leaves = leavesInOrder([]);
const issueKey = async () => 'none';
const remove = async (principal: string) =>
  await removeMember({ db: database.db, leaves }, await cast.caller('root'), { team: 'ml', principal });
const disable = async (person: Person) => {
  const grant = authorize(await cast.caller('root'), 'user.create', theOrg);
  await change(database.db, grant, 'user.changed', async (tx) => {
    await tx.write('app_user', sql`update app_user set active = false where id = ${cast.id(person)} returning id`);
    await refuseTooFewAdmins(tx);
  });
};

test('the setting gives a warning with a single admin, but not with two', async () => {
  await bind(true);
  expect(await warnOfTooFewAdmins(database.db)).toBeUndefined();
  await bind(false);
  await disable('root2');
  expect(await warnOfTooFewAdmins(database.db)).toBeUndefined();
  await bind(true);
  expect(await warnOfTooFewAdmins(database.db)).toContain('there is one admin');
});

test('the second-last admin cannot be removed with the setting, but without it', async () => {
  await bind(true);
  await expect(disable('root2')).rejects.toMatchObject({ code: 'last_admin', status: 409 });
  await bind(false);
  await disable('root2');
});

test('of two admins who are removed at the same moment one stays', async () => {
  await bind(true);
  await cast.write('app_user', sql`update app_user set role = 'admin' where id = ${cast.id('nemo')} returning id`);
  const results = await Promise.allSettled([disable('root2'), disable('nemo')]);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await cast.write('app_user', sql`update app_user set role = 'viewer' where id = ${cast.id('nemo')} returning id`);
});

test('a team keeps enough admins for its requests: with two required approvals, two besides the author', async () => {
  const max = `user:${emailOf('max')}`;
  const root = await cast.caller('root');
  await bind(true, 2);
  await expect(remove(max)).rejects.toMatchObject({ code: 'last_admin' });
  await expect(
    addMember({ db: database.db, issueKey }, root, { team: 'ml', principal: max, role: 'viewer' }),
  ).rejects.toMatchObject({ code: 'last_admin' });
  await bind(true, 1);
  await addMember({ db: database.db, issueKey }, root, { team: 'ml', principal: max, role: 'viewer' });
  await remove(max);
});
