// Nobody increases their own rights: not with entries, teams, groups or machines, and not with unknown fields in a request.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpointUrl } from '@gantry/contract/client/client.ts';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints, type EndpointName } from '@gantry/contract/endpoints.ts';
import { operations, type Role } from '@gantry/contract/roles.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
const people = {} as Record<'vera' | 'ada' | 'dora' | 'max' | 'olga', TestUser>;
let made = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  people.vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  people.ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  people.dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  people.max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  people.olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

const agent = async () => await storeAgent(app, people.ada.email, { name: `agent-${++made}` });
const count = async (statement: ReturnType<typeof sql>) => (await app.db.all(statement)).length;
const idOf = async ({ email }: TestUser) =>
  (await app.db.one<{ id: string }>(sql`select id from app_user where email = ${email}`))?.id ?? '';
const refusals = async (who: string, operation: string) =>
  (await app.admin.client.call('audit.list', { query: { user: who, action: 'refused', limit: 200 } })).items.filter(
    ({ detail }) => detail['operation'] === operation,
  );

async function machine(role: Role): Promise<{ id: string; name: string; client: TestUser['client'] }> {
  const body = { name: `machine-${++made}`, team: 'ml', role, allowed_assets: ['*/*'] };
  const { id, name, key = '' } = await people.max.client.call('principals.create', { body });
  const { access_token } = await app.anonymous.call('auth.exchange_key', { body: { key } });
  return { id, name, client: app.as(access_token) };
}

test('a caller without admin permission on an asset grants nothing on it, not even to themselves, and leaves no row', async () => {
  const { name, asset_id } = await agent();
  const grant = async (by: TestUser, actions: ('use' | 'admin')[]) =>
    await by.client.call('permissions.grant', {
      body: {
        resource_type: 'agent',
        resource_id: name,
        principal_type: 'user',
        principal_id: by.email,
        actions,
      },
    });
  const rows = async () => await count(sql`select 1 from permission where asset_id = ${asset_id}`);
  const before = await rows();
  for (const who of [people.vera, people.dora, people.olga])
    await expect(grant(who, ['admin'])).rejects.toMatchObject({ code: 'forbidden' });
  expect(await rows()).toBe(before);
  await grant(people.max, ['admin']);
  expect(await rows()).toBe(before + 1);
});

test('a caller who is no admin decides no request, and the attempt is recorded', async () => {
  const { ref } = await agent();
  const { id } = await people.ada.client.call('approvals.submit', { body: { asset: ref } });
  for (const who of [people.vera, people.dora]) {
    expect((await who.client.call('approvals.show', { params: { id } })).status).toBe('pending');
    for (const verdict of ['approve', 'reject'] as const)
      await expect(who.client.call(`approvals.${verdict}`, { params: { id }, body: {} })).rejects.toMatchObject({
        code: 'forbidden',
      });
    expect(await refusals(who.email, 'approval.decide')).not.toEqual([]);
  }
  expect((await people.max.client.call('approvals.approve', { params: { id }, body: {} })).status).toBe('approved');
});

test('a grant to a group makes no member an admin: members neither decide nor deploy', async () => {
  const { name, ref } = await agent();
  const group = await people.max.client.call('groups.create', { body: { name: `group-${++made}`, team: 'ml' } });
  for (const { email } of [people.ada, people.vera])
    await people.max.client.call('groups.add_member', { params: { id: group.id }, body: { email } });
  await people.max.client.call('permissions.grant', {
    body: {
      resource_type: 'agent',
      resource_id: name,
      principal_type: 'group',
      principal_id: group.name,
      actions: ['read', 'use', 'write', 'deploy', 'publish', 'admin'],
    },
  });
  const { id } = await people.ada.client.call('approvals.submit', { body: { asset: ref } });
  for (const who of [people.ada, people.vera])
    await expect(who.client.call('approvals.approve', { params: { id }, body: {} })).rejects.toMatchObject({
      status: 403,
    });
  await people.max.client.call('approvals.approve', { params: { id }, body: {} });
  for (const who of [people.ada, people.vera])
    await expect(who.client.call('deployments.create', { body: { ref } })).rejects.toMatchObject({
      code: 'forbidden',
    });
  expect((await people.dora.client.call('deployments.create', { body: { ref } })).approval_id).toBe(id);
});

test('a team admin makes nobody a platform admin, and nobody raises their own role', async () => {
  const { max, dora, vera } = people;
  const member = (who: TestUser, role: Role) => ({
    params: { team: 'ml' },
    body: { principal: `user:${who.email}`, role },
  });
  await max.client.call('teams.add_member', member(vera, 'viewer'));
  for (const who of [vera, dora])
    await expect(who.client.call('teams.add_member', member(who, 'admin'))).rejects.toMatchObject({
      code: 'forbidden',
    });
  for (const who of [max, dora, vera]) {
    const change = { params: { id: await idOf(who) }, body: { role: 'admin' } } as const;
    await expect(who.client.call('users.update', change)).rejects.toMatchObject({ code: 'forbidden' });
    const body = { email: `friend-${++made}@example.com`, role: 'admin' } as const;
    await expect(who.client.call('users.create', { body })).rejects.toMatchObject({ code: 'forbidden' });
    const reset = { params: { id: await idOf(app.admin) }, body: { one_time_password: true } };
    await expect(who.client.call('users.reset_password', reset)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await who.client.call('auth.me', {})).toMatchObject({ role: 'viewer' });
  }
  expect(await count(sql`select 1 from app_user where email like 'friend-%'`)).toBe(0);
});

test('a machine with the role admin admits nobody: no member, no group, no other machine, no decision, no key', async () => {
  const boss = await machine('admin');
  const other = await machine('viewer');
  const { ref } = await agent();
  const group = await people.max.client.call('groups.create', { body: { name: `group-${++made}`, team: 'ml' } });
  const { id } = await people.ada.client.call('approvals.submit', { body: { asset: ref } });
  const vera = `user:${people.vera.email}`;
  expect((await boss.client.call('approvals.show', { params: { id } })).status).toBe('pending');
  const tries = [
    boss.client.call('approvals.approve', { params: { id }, body: {} }),
    boss.client.call('teams.add_member', { params: { team: 'ml' }, body: { principal: vera, role: 'admin' } }),
    boss.client.call('teams.remove_member', { params: { team: 'ml', principal: vera } }),
    boss.client.call('groups.create', { body: { name: 'of-boss', team: 'ml' } }),
    boss.client.call('groups.add_member', { params: { id: group.id }, body: { email: people.vera.email } }),
    boss.client.call('groups.delete', { params: { id: group.id } }),
    boss.client.call('principals.create', { body: { name: `machine-${++made}`, team: 'ml', role: 'viewer' } }),
    boss.client.call('principals.update', { params: { id: other.id }, body: { role: 'admin' } }),
    boss.client.call('principals.update', { params: { id: boss.id }, body: { allowed_assets: ['*/*'] } }),
    boss.client.call('principals.rotate_key', { params: { id: other.id }, body: {} }),
    boss.client.call('principals.delete', { params: { id: other.id } }),
    boss.client.call('users.create', { body: { email: 'friend-of-boss@example.com' } }),
    boss.client.call('users.reset_password', { params: { id: await idOf(people.vera) }, body: {} }),
    boss.client.call('webhooks.create', { body: { name: 'boss', url: 'https://example.com/', events: ['team.*'] } }),
    boss.client.call('org.set', { body: { require_approval_for_admins: false } }),
  ];
  for (const refused of await Promise.allSettled(tries))
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
});

// The columns of the tables, as an attacker with the schema would add them.
const more = {
  role: 'admin',
  is_active: true,
  active: true,
  must_change_password: false,
  seed_credential: false,
  id: '00000000-0000-4000-8000-000000000000',
  created_by: 'somebody',
  owner_id: '00000000-0000-4000-8000-000000000000',
  team_id: '00000000-0000-4000-8000-000000000000',
  status: 'approved',
  published: true,
  digest: 'sha256:0',
  key: 'mine',
};
// A gateway key and a run change nothing of others, and has no rights that could grow. OAuth wants unknown members to be ignored.
const bodies = Object.entries<Endpoint>(endpoints).filter(
  ([, { body, operation, surface }]) =>
    typeof body === 'object' && surface !== 'oauth' && !['key', 'agent'].includes(operations[operation].on),
);

describe('an unknown field in a body is refused, and never applied:', () => {
  test.each(bodies.map(([name]) => name as EndpointName))('%s', async (name) => {
    const endpoint: Endpoint = endpoints[name];
    const isList = endpoint.body instanceof z.ZodArray;
    const one = endpoint.body instanceof z.ZodArray ? endpoint.body.element : endpoint.body;
    const shape = typeof one === 'object' && 'shape' in one ? one.shape : {};
    const extra = Object.entries(more).filter(([key]) => !(key in (shape as object)));
    expect(extra.length).toBeGreaterThan(5);
    const params = Object.fromEntries(
      [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => [
        key,
        key.endsWith('id') ? more.id : key === 'kind' ? 'tool' : 'nothing',
      ]),
    );
    const response = await fetch(endpointUrl(app.url, endpoint, params, {}), {
      method: endpoint.method,
      headers: { authorization: `Bearer ${app.admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(isList ? [Object.fromEntries(extra)] : Object.fromEntries(extra)),
    });
    const { errors = [] } = (await response.json()) as { errors?: { message: string }[] };
    expect(response.status).toBe(422);
    for (const [key] of extra) expect(errors.some(({ message }) => message.includes(`"${key}"`))).toBe(true);
  });
});
