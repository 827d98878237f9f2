// The votes that count when a request with several required approvals is decided.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { entriesNaming } from '../../testing/access/entries-naming.ts';
import { inQueue } from '../../testing/in-queue.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';

let app: TestApp;
let ada: TestUser;
let dora: TestUser;
let max: TestUser;
let mia: TestUser;
let made_agents = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  await app.db.run(sql`alter table run alter column lease_until set default 'infinity'`);
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  mia = await app.user('mia@example.com', { teams: { ml: 'admin' } });
});
afterAll(async () => await app?.stop());

const newName = () => `agent-${++made_agents}`;
const stored = async () => await storeAgent(app, ada.email, { name: newName() });
const submit = async (ref: string, user = ada) =>
  await user.client.call('approvals.submit', { body: { asset: ref, message: 'please' } });
const decide = async (user: TestUser, verdict: 'approve' | 'reject', { id }: { id: string }) =>
  await user.client.call(`approvals.${verdict}`, { params: { id }, body: { reason: '' } });
const show = async (user: TestUser, { id }: { id: string }) =>
  await user.client.call('approvals.show', { params: { id } });
const deploy = async (user: TestUser, { ref }: { ref: string }) =>
  await user.client.call('deployments.create', { body: { ref } });
const entries = async ({ id }: { id: string }) => await entriesNaming(app.db, id);

describe('a vote counts while its voter could still cast it', () => {
  const made: TestUser[] = [];
  const approver = async () => {
    const user = await app.user(`approver-${made.length}@example.com`, { teams: { ml: 'admin' } });
    made.push(user);
    return user;
  };
  const idOf = async ({ email }: TestUser) =>
    (await app.admin.client.call('users.list', { query: { email } })).items[0]?.id ?? '';
  const memberAs = async ({ email }: TestUser, role: 'admin' | 'contributor') =>
    await app.admin.client.call('teams.add_member', {
      params: { team: 'ml' },
      body: { principal: `user:${email}`, role },
    });
  const setActive = async (user: TestUser, active: boolean) =>
    await app.admin.client.call('users.update', { params: { id: await idOf(user) }, body: { active } });

  test.each([
    ['demoted', async (user: TestUser) => await memberAs(user, 'contributor')],
    ['disabled', async (user: TestUser) => await setActive(user, false)],
    [
      'removed',
      async (user: TestUser) => await app.admin.client.call('users.remove', { params: { id: await idOf(user) } }),
    ],
  ])('one of somebody who was %s does not, and the decision says so', async (_, leave) => {
    await app.settings({ approvals_required: 2 });
    const agent = await stored();
    const request = await submit(agent.ref);
    const eve = await approver();
    expect(await decide(eve, 'approve', request)).toMatchObject({ approved_by: [{ by: eve.email }] });
    await leave(eve);
    expect(await show(ada, request)).toMatchObject({ status: 'pending', approved_by: [] });
    expect(await decide(max, 'approve', request)).toMatchObject({
      status: 'pending',
      approved_by: [{ by: max.email }],
    });
    await expect(deploy(dora, agent)).rejects.toMatchObject({ code: 'approval_required' });
    expect(await decide(mia, 'approve', request)).toMatchObject({
      status: 'approved',
      approved_by: [{ by: max.email }, { by: mia.email }],
    });
    expect((await entries(request)).at(-1)).toMatchObject({
      event: 'approval.decided',
      detail: { approved_by: [max.email, mia.email], not_counted: [eve.email] },
    });
    await deploy(dora, agent);
  });

  test('and belongs to its voter: a new user with the same address inherits nothing', async () => {
    await app.settings({ approvals_required: 2 });
    const agent = await stored();
    const request = await submit(agent.ref);
    const eve = await approver();
    await decide(eve, 'approve', request);
    await app.admin.client.call('users.remove', { params: { id: await idOf(eve) } });
    const other = await app.user(eve.email, { teams: { ml: 'admin' } });
    expect(await show(ada, request)).toMatchObject({ approved_by: [] });
    expect(await decide(other, 'approve', request)).toMatchObject({
      status: 'pending',
      approved_by: [{ by: eve.email }],
    });
    expect(await decide(max, 'approve', request)).toMatchObject({ status: 'approved' });
    expect((await entries(request)).at(-1)).toMatchObject({
      detail: { approved_by: [eve.email, max.email], not_counted: [eve.email] },
    });
  });

  test('and the request of the previous user of an address is not theirs', async () => {
    await app.settings({ approvals_required: 1 });
    const eve = await approver();
    const agent = await storeAgent(app, eve.email, { name: newName() });
    const request = await submit(agent.ref, eve);
    await app.admin.client.call('users.remove', {
      params: { id: await idOf(eve) },
      query: { assets_to: max.email },
    });
    const other = await app.user(eve.email, { teams: { ml: 'admin' } });
    expect((await show(max, request)).can_decide).toContain(eve.email);
    expect(await decide(other, 'approve', request)).toMatchObject({ status: 'approved' });
  });

  test('with enough votes by now, any voter decides with a repeated vote', async () => {
    await app.settings({ approvals_required: 2 });
    const request = await submit((await stored()).ref);
    const eve = await approver();
    const pending = async (user: TestUser) => (await user.client.call('notifications.count', {})).pending;
    await decide(eve, 'approve', request);
    await setActive(eve, false);
    await decide(max, 'approve', request);
    const before = await pending(max);
    await setActive(eve, true);
    expect(await show(ada, request)).toMatchObject({
      status: 'pending',
      approved_by: [{ by: eve.email }, { by: max.email }],
      can_decide: expect.arrayContaining([max.email]) as string[],
    });
    expect(await pending(max)).toBe(before + 1);
    expect(await decide(max, 'approve', request)).toMatchObject({ status: 'approved' });
  });

  test('a decision waits for a simultaneous removal of a role', async () => {
    await app.settings({ approvals_required: 2 });
    const request = await submit((await stored()).ref);
    const eve = await approver();
    await decide(eve, 'approve', request);
    const id = await idOf(eve);
    const [disabled, decided] = await inQueue<unknown>(
      app.db,
      sql`select from app_user where id = ${id} for no key update`,
      async () => await setActive(eve, false),
      async () => await decide(max, 'approve', request),
    );
    expect(disabled?.status).toBe('fulfilled');
    expect(decided).toMatchObject({ value: { status: 'pending', approved_by: [{ by: max.email }] } });
  });

  test('and counts again when its voter has the role again', async () => {
    await app.settings({ approvals_required: 2 });
    const request = await submit((await stored()).ref);
    const eve = await approver();
    await decide(eve, 'approve', request);
    await setActive(eve, false);
    await setActive(eve, true);
    expect(await decide(max, 'approve', request)).toMatchObject({
      status: 'approved',
      approved_by: [{ by: eve.email }, { by: max.email }],
    });
    await memberAs(eve, 'contributor');
    expect(await show(ada, request)).toMatchObject({
      status: 'approved',
      approved_by: [{ by: eve.email }, { by: max.email }],
    });
  });
});
