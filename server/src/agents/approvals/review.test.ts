// The parts of a request during the review: difference, comments, previous request, required approvals and expiry. Through the typed client
// and the real service.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Approval, ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { configOnlyKinds } from '@gantry/contract/assets/asset-kinds.ts';
import { sql } from '../../ground/database/sql.ts';
import { twoConfigs } from '../../testing/pushes/asset-configs.ts';
import { entriesNaming } from '../../testing/access/entries-naming.ts';
import { serveAgent, storeAgent, type StoredAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { expireOverdue, startExpiry } from './expire.ts';

let app: TestApp;
let ada: TestUser;
let dora: TestUser;
let max: TestUser;
let mia: TestUser;
let vera: TestUser;
let otto: TestUser;
let made = 0;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  await app.db.run(sql`alter table run alter column lease_until set default 'infinity'`);
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  dora = await app.user('dora@example.com', { teams: { ml: 'deployer' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  mia = await app.user('mia@example.com', { teams: { ml: 'admin' } });
  vera = await app.user('vera@example.com', { teams: { ml: 'viewer' } });
  otto = await app.user('otto@example.com', { teams: { ops: 'contributor' } });
  for (const [kind, name, config] of [
    ['model', 'embed', { provider: 'acme', model: 'embed', type: 'embedding' }],
    ['knowledge-base', 'handbook', {}],
  ] as const)
    await ada.client.call('registry.create', { params: { kind }, body: { name, team: 'ml', config } });
  await stored({ name: 'helper' });
});
afterAll(async () => await app?.stop());
afterEach(async () => {
  await app.settings({ approvals_required: 1, approval_expires_after_days: null, require_approval_for_admins: false });
});

const missing = '00000000-0000-4000-8000-000000000000';
const newName = () => `agent-${++made}`;
const stored = async (
  project: { name?: string; version?: string; yaml?: string; files?: Record<string, string> } = {},
) => await storeAgent(app, ada.email, { name: newName(), ...project });
const submit = async (ref: string, user = ada, more: { target?: string } = {}) =>
  await user.client.call('approvals.submit', { body: { asset: ref, message: 'please', ...more } });
const decide = async (user: TestUser, verdict: 'approve' | 'reject', { id }: { id: string }, reason = '') =>
  await user.client.call(`approvals.${verdict}`, { params: { id }, body: { reason } });
const show = async (user: TestUser, { id }: { id: string }): Promise<ApprovalDetail> =>
  await user.client.call('approvals.show', { params: { id } });
const deploy = async (user: TestUser, { ref }: { ref: string }) =>
  await user.client.call('deployments.create', { body: { ref } });
const entries = async ({ id }: { id: string }) => await entriesNaming(app.db, id);
const events = async (request: { id: string }) => (await entries(request)).map(({ event }) => event);
/** Moves the submit into the past. */
const age = async ({ id }: { id: string }, interval: string) =>
  await app.governed(
    sql`update approval set submitted_at = submitted_at - ${interval}::interval where id = ${id} returning id`,
  );
const nameOf = (agent: StoredAgent) => `agents/${agent.name}`;

describe('the difference of a request', () => {
  test('compares with the running version: config, text of files, and new permissions', async () => {
    const first = await stored({ yaml: 'deploy: {env_vars: {MODE: one}}\n' });
    await decide(max, 'approve', await submit(first.ref));
    await serveAgent(app, first, 'http://127.0.0.1:1');
    const next = await stored({
      name: first.name,
      version: '1.1.0',
      yaml: 'deploy: {env_vars: {MODE: two}}\nmodel: {primary: gpt-5}\n',
      files: { 'more.py': 'x = 1\n' },
    });
    const request = await submit(next.ref);
    const shown = await show(max, request);
    expect(shown).toMatchObject({ compared_with: first.ref, is_current: true, previous: { asset_version: '1.0.0' } });
    expect(shown.changes).toMatchObject({
      files: [
        { path: 'agent.yaml', change: 'changed', diff: expect.stringContaining('+deploy: {env_vars: {MODE: two}}') },
        {
          path: 'more.py',
          change: 'added',
          before_bytes: null,
          after_bytes: 6,
          diff: expect.stringContaining('+x = 1'),
        },
      ],
    });
    expect(shown.changes.reach.filter(({ kind }) => kind !== 'internet')).toMatchObject([
      { kind: 'models', change: 'removed', unbounded: true },
      {
        kind: 'model',
        name: 'gpt-5',
        change: 'narrowed',
        instead_of: [expect.stringMatching(/^every model of team /)],
      },
    ]);
    expect(shown.changes.config).toContainEqual({ path: 'deploy.env_vars.MODE', before: 'one', after: 'two' });
    const plan = await max.client.call('deployments.plan', { body: { ref: next.ref } });
    expect(plan.changes).toEqual(shown.changes);
    for (const reader of [vera, otto]) {
      const { changes } = await show(reader, request);
      expect(changes.config).toContainEqual({ path: 'deploy.env_vars.MODE', before: '(hidden)', after: '(hidden)' });
      expect(changes.files.map(({ diff, no_diff }) => [diff, no_diff])).toEqual([
        [null, 'not_permitted'],
        [null, 'not_permitted'],
      ]);
    }
  });

  test('has the approval of the running version, and says how the agent can pass its guardrails', async () => {
    const first = await stored();
    const running = await submit(first.ref);
    await decide(max, 'approve', running);
    await serveAgent(app, first, 'http://127.0.0.1:1');
    const newer = async (version: string, yaml: string) =>
      (await stored({ name: first.name, version, yaml: `guardrails: [pii_detection]\n${yaml}` })).ref;
    await app.governed(sql`update org set agent_egress = 'open' returning id`);
    const open = await newer('1.1.0', '');
    const shown = await show(max, await submit(open));
    expect(shown.compared_approval).toMatchObject({ id: running.id, decided_by: max.email });
    expect(shown.unguarded).toMatch(
      /reaches the whole internet, and guardrails limit only its calls through the gateway/,
    );
    const plan = async (ref: string) => await max.client.call('deployments.plan', { body: { ref } });
    expect((await plan(open)).unguarded).toBe(shown.unguarded);
    const limited = await newer('1.1.0', 'deploy: {egress: ["api.example.com:443"]}\n');
    expect((await plan(limited)).unguarded).toBeNull();
    expect(await show(max, await submit(limited))).toMatchObject({ unguarded: null });
    expect(await show(max, running)).toMatchObject({ unguarded: null });
  });

  test('shows the submitted content, also if the version has other content by now', async () => {
    const agent = await stored({ files: { 'note.txt': 'asked\n' } });
    const request = await submit(agent.ref);
    await stored({ name: agent.name, files: { 'note.txt': 'slipped in\n' } });
    const shown = await show(max, request);
    expect(shown).toMatchObject({ is_current: false, compared_with: null });
    expect(shown.changes.files.find(({ path }) => path === 'note.txt')?.diff).toContain('+asked');
    await expect(decide(max, 'approve', request)).rejects.toMatchObject({ code: 'superseded' });
  });
});

describe('a request can be made again', () => {
  test.for<[string, (request: Approval) => Promise<unknown>, string]>([
    ['a rejection, with its reason', async (request) => await decide(max, 'reject', request, 'no tests'), 'rejected'],
    ['a withdrawal', async ({ id }) => await ada.client.call('approvals.withdraw', { params: { id } }), 'withdrawn'],
    [
      'its expiry',
      async (request) => {
        await app.settings({ approval_expires_after_days: 7 });
        await age(request, '8 days');
      },
      'expired',
    ],
  ])('after %s', async ([, close, closed_reason]) => {
    const agent = await stored();
    const first = await submit(agent.ref);
    await close(first);
    const second = await submit(agent.ref);
    expect(second.id).not.toBe(first.id);
    expect(await show(ada, second)).toMatchObject({
      status: 'pending',
      previous: { id: first.id, status: 'rejected', closed_reason, asset_version: '1.0.0' },
    });
    for (const verdict of ['approve', 'reject'] as const)
      if (verdict !== 'reject' || closed_reason !== 'rejected')
        await expect(decide(max, verdict, first)).rejects.toMatchObject({ code: 'already_decided', status: 409 });
    expect((await show(otto, second)).previous?.reason).toBe(null);
    await decide(max, 'approve', second);
    expect(await deploy(dora, agent)).toMatchObject({ approval_id: second.id });
  });

  test('and changed content under a final version is refused with 409', async () => {
    const agent = await stored();
    await decide(max, 'approve', await submit(agent.ref));
    await expect(stored({ name: agent.name, files: { 'more.py': '' } })).rejects.toMatchObject({
      code: 'version_final',
    });
    const edited = await stored({ name: agent.name, version: '1.0.1', files: { 'more.py': '' } });
    await expect(deploy(dora, edited)).rejects.toMatchObject({ code: 'approval_required', status: 409 });
    expect((await deploy(dora, agent)).digest).toBe(agent.digest);
  });
});

describe('a request that waits too long', () => {
  test('cannot be decided before the sweep, is closed once by several replicas, and shows the reason', async () => {
    const agent = await stored();
    const request = await submit(agent.ref);
    expect(request.expires_at).toBe(null);
    await app.settings({ approval_expires_after_days: 7 });
    expect(Date.parse((await show(ada, request)).expires_at ?? '')).toBe(
      Date.parse(request.submitted_at) + 7 * 86_400_000,
    );
    await age(request, '6 days');
    await expireOverdue(app.db);
    expect(await show(ada, request)).toMatchObject({ status: 'pending' });
    await age(request, '1 day');
    await expect(deploy(dora, agent)).rejects.toMatchObject({ code: 'approval_required' });
    await expect(decide(max, 'approve', request)).rejects.toMatchObject({
      code: 'already_decided',
      detail: expect.stringContaining('expired'),
    });
    await Promise.all([expireOverdue(app.db), expireOverdue(app.db), expireOverdue(app.db)]);
    expect(await show(ada, request)).toMatchObject({ status: 'rejected', closed_reason: 'expired', decided_by: null });
    expect(await entries(request)).toMatchObject([
      { event: 'approval.submitted' },
      {
        event: 'approval.expired',
        actor: { name: 'system.expire' },
        detail: { approval_id: request.id, version: '1.0.0' },
      },
    ]);
    await expect(deploy(dora, agent)).rejects.toMatchObject({ code: 'approval_required' });
  });

  test('is closed only by the sweep, and an approval in time stays valid', async () => {
    const [waiting, approved] = [await submit((await stored()).ref), await submit((await stored()).ref)];
    await decide(max, 'approve', approved);
    await app.settings({ approval_expires_after_days: 1 });
    for (const request of [waiting, approved]) await age(request, '2 days');
    const errors: unknown[] = [];
    const sweeps = [1, 2].map(() => startExpiry(app.db, { onError: (error) => errors.push(error), every_ms: 5 }));
    await expect.poll(async () => (await show(ada, waiting)).closed_reason).toBe('expired');
    await Promise.all(sweeps.map(async (sweep) => await sweep.stop()));
    expect(errors).toEqual([]);
    expect(await events(waiting)).toEqual(['approval.submitted', 'approval.expired']);
    expect(await show(ada, approved)).toMatchObject({ status: 'approved' });
  });
});

describe('a comment', () => {
  test('appears in the request and in the log, and comes only from readers of the request’s text', async () => {
    const request = await submit((await stored()).ref);
    const say = async (user: TestUser, message: string) =>
      await user.client.call('approvals.comment', { params: { id: request.id }, body: { message } });
    await say(max, 'why?');
    await say(ada, 'because');
    await decide(max, 'reject', request);
    await say(vera, 'a pity');
    expect((await show(dora, request)).comments).toMatchObject([
      { author: max.email, message: 'why?' },
      { author: ada.email, message: 'because' },
      { author: vera.email },
    ]);
    expect(await events(request)).toEqual([
      'approval.submitted',
      'approval.commented',
      'approval.commented',
      'approval.decided',
      'approval.commented',
    ]);
    await expect(say(otto, 'me too')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await show(otto, request)).comments).toEqual([]);
  });

  test('on a line names file and line, in the request and in the log', async () => {
    const request = await submit((await stored()).ref);
    const say = async (body: { message: string; file?: string; line?: number }) =>
      await max.client.call('approvals.comment', { params: { id: request.id }, body });
    const on = { file: 'agent.py', line: 3 };
    await say({ message: 'why?', ...on });
    expect((await show(ada, request)).comments).toMatchObject([{ author: max.email, message: 'why?', ...on }]);
    expect(await entries(request)).toMatchObject([
      { event: 'approval.submitted' },
      { event: 'approval.commented', detail: { message: 'why?', ...on } },
    ]);
    await expect(say({ message: 'where?', file: 'agent.py' })).rejects.toMatchObject({ code: 'invalid' });
  });

  test.for([
    ['of nothing', '', 422],
    ['of spaces', ' \n', 422],
    ['with an escape sequence', '\u001b[2J', 422],
    ['that is too long', 'x'.repeat(4001), 422],
    ['as long as it may be', 'x'.repeat(4000), 201],
  ] as const)('%s is refused or kept as its length and characters say', async ([, message, status]) => {
    const { id } = await submit((await stored()).ref);
    const answer = await fetch(`${app.url}/api/v1/rbac/approvals/${id}/comments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message }),
    });
    expect(answer.status).toBe(status);
  });

  test('on a missing request, or on a hidden agent’s request, gets the same answer', async () => {
    const { id } = await submit((await stored({ yaml: 'access: {visibility: team}\n' })).ref);
    const refusals = await Promise.all(
      [id, missing].map(
        async (one) =>
          await otto.client
            .call('approvals.comment', { params: { id: one }, body: { message: 'x' } })
            .catch((error: { code: string; detail: string }) => [error.code, error.detail]),
      ),
    );
    expect(refusals[0]).toEqual(['not_found', expect.any(String)]);
    expect(refusals[0]).toEqual(refusals[1]);
  });

  test('number 200 is accepted, and number 201 is refused', async () => {
    const { id } = await submit((await stored()).ref);
    await app.governed(sql`insert into approval_comment (approval_id, author_id, message)
      select ${id}, u.id, 'x' from app_user u, generate_series(1, 199) where u.email = ${ada.email} returning id`);
    const results = await Promise.allSettled(
      [1, 2, 3].map(async () => await ada.client.call('approvals.comment', { params: { id }, body: { message: 'y' } })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await show(ada, { id })).comments).toHaveLength(200);
  });
});

// Only a platform admin changes a target (assets/targets/targets.test.ts).
describe.each(configOnlyKinds.filter((kind) => kind !== 'target'))('a %s', (kind) => {
  const [config, other] = twoConfigs[kind];

  test('is approved by version: it is marked, compared with the previous approval, and runs nowhere', async () => {
    const name = `thing-${++made}`;
    await ada.client.call('registry.create', { params: { kind }, body: { name, team: 'ml', config } });
    const { ref } = await ada.client.call('registry.show', { params: { kind, name } });
    const approvedOf = async () =>
      (await vera.client.call('registry.show', { params: { kind, name } })).versions.map(({ version, approved }) => [
        version,
        approved,
      ]);
    const first = await submit(ref);
    expect(first).toMatchObject({ target: 'none', asset_version: '1.0.0' });
    await expect(submit(ref, ada, { target: 'local' })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ pointer: '/target' }],
    });
    expect(await approvedOf()).toEqual([['1.0.0', false]]);
    await expect(decide(vera, 'approve', first)).rejects.toMatchObject({ code: 'forbidden' });
    await decide(max, 'approve', first);
    await ada.client.call('registry.edit', {
      params: { kind, name },
      body: { version: '1.1.0', config: other },
    });
    expect(await approvedOf()).toEqual([
      ['1.1.0', false],
      ['1.0.0', true],
    ]);
    const second = await submit(ref);
    expect(await show(max, second)).toMatchObject({
      compared_with: `${ref}@1.0.0`,
      changes: { config: expect.arrayContaining([expect.objectContaining({ path: expect.any(String) })]), files: [] },
    });
    await max.client.call('approvals.revoke', { params: { id: first.id }, body: { reason: 'leaks' } });
    expect(await approvedOf()).toEqual([
      ['1.1.0', false],
      ['1.0.0', false],
    ]);
    await expect(submit(`${ref}@9.9.9`)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('with two required approvals', () => {
  test('the second of two admins decides, each vote is recorded, and nobody counts twice', async () => {
    await app.settings({ approvals_required: 2 });
    const agent = await stored();
    const request = await submit(agent.ref);
    expect(request).toMatchObject({ approvals_required: 2, approved_by: [] });
    const once = await decide(max, 'approve', request, 'fine');
    expect(once).toMatchObject({ status: 'pending', approved_by: [{ by: max.email, reason: 'fine' }] });
    expect(once.can_decide).toEqual(['admin@gantry.local', mia.email]);
    expect(await decide(max, 'approve', request, 'again')).toEqual(once);
    await expect(deploy(dora, agent)).rejects.toMatchObject({ code: 'approval_required' });
    expect(await decide(mia, 'approve', request)).toMatchObject({ status: 'approved', decided_by: mia.email });
    await deploy(dora, agent);
    expect(await entries(request)).toMatchObject([
      { event: 'approval.submitted' },
      { event: 'approval.voted', actor: { name: max.email }, detail: { approvals: 1, approvals_required: 2 } },
      { event: 'approval.decided', actor: { name: mia.email }, detail: { decision: 'approved' } },
      { event: 'deploy.started' },
    ]);
  });

  test('one rejection rejects, also by an admin who approved before', async () => {
    await app.settings({ approvals_required: 2 });
    for (const rejecting of [max, mia]) {
      const request = await submit((await stored()).ref);
      await decide(max, 'approve', request);
      expect(await decide(rejecting, 'reject', request, 'no')).toMatchObject({
        status: 'rejected',
        decided_by: rejecting.email,
      });
      await expect(decide(app.admin, 'approve', request)).rejects.toMatchObject({ code: 'already_decided' });
    }
  });

  test('agent.yaml raises the number and never lowers it', async () => {
    const asks = async (approvals_required: number) =>
      await submit((await stored({ yaml: `access: {approvals_required: ${approvals_required}}\n` })).ref);
    expect(await asks(2)).toMatchObject({ approvals_required: 2 });
    await app.settings({ approvals_required: 3 });
    const request = await asks(1);
    expect(request).toMatchObject({ approvals_required: 3 });
    await decide(max, 'approve', request);
    await app.settings({ approvals_required: 1 });
    expect(await show(ada, request)).toMatchObject({ status: 'pending', approvals_required: 1 });
    // The lower number is reached: one repeated vote is enough.
    expect(await decide(max, 'approve', request)).toMatchObject({ status: 'approved', approvals_required: 1 });
    await app.settings({ approvals_required: 3 });
    expect(await show(ada, request)).toMatchObject({ status: 'approved', approvals_required: 1 });
  });

  test('admins who approve at once are counted one after the other', async () => {
    await app.settings({ approvals_required: 2 });
    for (let round = 0; round < 10; round++) {
      const request = await submit((await stored()).ref);
      const answers = await Promise.all([max, mia, max].map(async (user) => await decide(user, 'approve', request)));
      expect(answers.some(({ status }) => status === 'approved')).toBe(true);
      expect((await events(request)).slice(1)).toEqual(['approval.voted', 'approval.decided']);
    }
  });

  test('an admin who pushed the content afterwards does not count', async () => {
    await app.settings({ approvals_required: 2 });
    const agent = await stored();
    const request = await submit(agent.ref);
    await decide(max, 'approve', request);
    await storeAgent(app, max.email, { name: agent.name, files: { 'mine.py': '' } });
    await stored({ name: agent.name });
    expect(await decide(mia, 'approve', request)).toMatchObject({ status: 'pending' });
    expect(await decide(app.admin, 'approve', request)).toMatchObject({ status: 'approved' });
  });
});

describe('nobody approves their own', () => {
  test('not as an admin of the team, nor through a second session', async () => {
    const agent = await storeAgent(app, max.email, { name: newName() });
    const request = await submit(agent.ref, max);
    const { access_token } = await app.anonymous.call('auth.login', {
      body: { email: max.email, password: max.password },
    });
    for (const client of [max.client, app.as(access_token)])
      await expect(client.call('approvals.approve', { params: { id: request.id }, body: {} })).rejects.toMatchObject({
        code: 'own_request',
        status: 403,
      });
    expect(await decide(mia, 'approve', request)).toMatchObject({ status: 'approved' });
  });

  test('and in 15 races of two approving admins one decides and both get the decision', async () => {
    for (let round = 0; round < 15; round++) {
      const request = await submit((await stored()).ref);
      const answers = await Promise.all([max, mia].map(async (user) => await decide(user, 'approve', request)));
      expect(answers[0]).toEqual(answers[1]);
      expect(await events(request)).toEqual(['approval.submitted', 'approval.decided']);
    }
  });
});

describe('with require_approval_for_admins', () => {
  test('an admin deploys their own version only after another admin’s approval', async () => {
    const agent = await storeAgent(app, max.email, { name: newName() });
    await app.settings({ require_approval_for_admins: true });
    await expect(deploy(max, agent)).rejects.toMatchObject({
      code: 'approval_required',
      detail: expect.stringContaining('Admins need one too'),
    });
    const request = await submit(agent.ref, max);
    await expect(deploy(max, agent)).rejects.toMatchObject({ code: 'approval_required' });
    await decide(mia, 'approve', request);
    expect(await deploy(max, agent)).toMatchObject({ approval_id: request.id });
  });

  test('agent.yaml cannot waive it, and can require it if the organisation does not', async () => {
    const waived = await stored({ yaml: 'access: {require_approval: false}\n' });
    await expect(deploy(dora, waived)).rejects.toMatchObject({ code: 'approval_required' });
    const bound = await stored({ yaml: 'access: {require_approval: true}\n' });
    await expect(deploy(app.admin, bound)).rejects.toMatchObject({ code: 'approval_required' });
    await deploy(app.admin, waived);
    await app.settings({ require_approval_for_admins: true });
    await expect(
      deploy(app.admin, await stored({ yaml: 'access: {require_approval: false}\n' })),
    ).rejects.toMatchObject({ code: 'approval_required' });
  });

  test('an approval gives nobody a role: a contributor and a viewer with a deploy entry are refused, and a rejected version too', async () => {
    const agent = await stored();
    const request = await submit(agent.ref);
    await ada.client.call('permissions.grant', {
      body: {
        resource_type: 'agent',
        resource_id: agent.name,
        principal_type: 'user',
        principal_id: vera.email,
        actions: ['deploy'],
      },
    });
    await decide(max, 'approve', request);
    for (const user of [ada, vera, otto])
      await expect(deploy(user, agent)).rejects.toMatchObject({ code: 'forbidden' });
    const rejected = await stored();
    await decide(max, 'reject', await submit(rejected.ref));
    await expect(deploy(dora, rejected)).rejects.toMatchObject({ code: 'approval_required' });
    await app.governed(sql`update app_user set active = false where email = ${max.email} returning id`);
    // The decision was valid. It stays valid after the admin leaves.
    expect(await deploy(dora, agent)).toMatchObject({ approval_id: request.id });
    await app.governed(sql`update app_user set active = true where email = ${max.email} returning id`);
  });
});

test('a request of another team can be neither decided nor read', async () => {
  const agent = await stored({ yaml: 'access: {visibility: team}\n' });
  const request = await submit(agent.ref);
  const olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
  await expect(decide(olga, 'approve', request)).rejects.toMatchObject({ code: 'not_found' });
  await expect(decide(olga, 'approve', { id: missing })).rejects.toMatchObject({ code: 'not_found' });
  expect((await olga.client.call('approvals.list', { query: { asset: nameOf(agent) } })).items).toEqual([]);
  expect(await decide(max, 'approve', request)).toMatchObject({ status: 'approved' });
});
