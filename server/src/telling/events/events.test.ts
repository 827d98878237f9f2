// Streams of changes, on the real service: who is told of what, in which time, and what a reader that comes back gets.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { streams_per_caller, type LiveChange } from '@gantry/contract/telling/events.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import type { Database } from '../../ground/database/database.ts';
import { sql } from '../../ground/database/sql.ts';
import { insertDeployment } from '../../agents/deploy/store.ts';
import { enqueue } from '../../ground/runs/run.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { openFeed } from './feed.ts';

// The promise is two seconds; the rest is for other tests on this machine.
const patient = { timeout: 20_000, interval: 20 };
let app: TestApp;
let ada: TestUser;
let max: TestUser;
let olga: TestUser;

beforeAll(async () => {
  app = await testApp({ config: { engine_host: 'unix:///nowhere/docker.sock' } });
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

interface Followed {
  seen: StreamEvent<LiveChange>[];
  /** `kind name`, or `kind id` without a name. */
  told: () => string[];
  last_id: () => string | undefined;
  refused: () => unknown;
  stop: () => Promise<void>;
}

async function follow({ client }: Pick<TestUser, 'client'>, last_event_id?: string): Promise<Followed> {
  const leaving = new AbortController();
  const resume = last_event_id === undefined ? {} : { last_event_id };
  const stream = await client.call('events.follow', {}, { signal: leaving.signal, ...resume });
  const seen: StreamEvent<LiveChange>[] = [];
  let refused: unknown;
  const reading = (async () => {
    for await (const event of stream) seen.push(event);
  })().catch((error: unknown) => (refused = error));
  const stop = async () => {
    leaving.abort();
    await reading;
  };
  onTestFinished(stop);
  if (last_event_id === undefined) await expect.poll(() => seen.length, patient).toBeGreaterThan(0);
  return {
    seen,
    told: () => seen.map(({ data: { kind, id, name } }) => `${kind} ${name ?? id ?? ''}`.trim()),
    last_id: () => seen.findLast(({ id }) => id !== undefined)?.id,
    refused: () => refused,
    stop,
  };
}

/** All readers are told of one more change, so they were told of the earlier ones. */
async function settle(...streams: Followed[]): Promise<void> {
  const before = streams.map(({ told }) => told().filter((one) => one === 'org').length);
  await app.settings({ approval_expires_after_days: 1 + (settings++ % 300) });
  for (const [index, { told }] of streams.entries())
    await expect
      .poll(() => told().filter((one) => one === 'org').length, patient)
      .toBeGreaterThan(before[index] ?? Infinity);
}
let settings = 0;

const privately = 'access: {visibility: team}\n';

test('each change is told by kind and name to its readers, within two seconds, and to nobody else', async () => {
  const { ref, name } = await storeAgent(app, ada.email, { name: 'greeter', yaml: privately });
  const [of_max, of_admin, of_olga] = [await follow(max), await follow(app.admin), await follow(olga)];
  const asset = `agents/${name}`;
  const { id: request } = await ada.client.call('approvals.submit', { body: { asset: ref } });
  const committed = performance.now();
  await expect.poll(of_max.told, patient).toContain(`approval ${request}`);
  expect(performance.now() - committed).toBeLessThan(2000);
  await max.client.call('approvals.reject', { params: { id: request }, body: { reason: 'no' } });
  await ada.client.call('registry.publish', { params: { kind: 'agent', name } });
  await ada.client.call('secrets.set', { body: { agent: name, name: 'TOKEN', value: 'v' } });
  await max.client.call('secrets.set', { body: { team: 'ml', name: 'SHARED', value: 'v' } });
  const key = await max.client.call('keys.create', { body: { scope: 'team', scope_id: 'ml' } });
  await max.client.call('groups.create', { body: { name: 'crew', team: 'ml' } });
  await max.client.call('principals.create', { body: { name: 'robot', team: 'ml' } });
  await app.admin.client.call('budgets.set', {
    body: { scope: 'team', scope_id: 'ml', limits: { daily_usd: '5' } },
  });
  const vi = await app.user('vi@example.com', { teams: { ops: 'viewer' } });
  await max.client.call('teams.add_member', {
    params: { team: 'ml' },
    body: { principal: `user:${vi.email}`, role: 'viewer' },
  });
  await app.admin.client.call('webhooks.create', {
    body: { name: 'hook', url: 'https://example.com/hook', events: ['team.*'] },
  });
  await settle(of_max, of_admin, of_olga);
  const ofTeam = [
    `asset ${asset}`,
    `approval ${request}`,
    'secret TOKEN',
    'secret SHARED',
    `key ${key.prefix}`,
    'group crew',
    'principal principal:robot',
    'budget team:ml',
    'team ml',
    'org',
  ];
  expect(of_max.told()).toEqual(expect.arrayContaining(ofTeam));
  expect(of_admin.told()).toEqual(expect.arrayContaining([...ofTeam, `user ${vi.email}`, 'webhook hook']));
  expect(of_max.told().filter((one) => /^(user|webhook)/.test(one))).toEqual([]);
  const notified = await max.client.call('notifications.list', {});
  expect(of_max.told()).toContain(`notification ${notified.items[0]?.id}`);
  expect(of_admin.told()).not.toContain(`notification ${notified.items[0]?.id}`);
  expect(new Set(of_olga.told())).toEqual(new Set(['connected', 'org']));
});

test('a deploy is told at each change of its state, also when no entry of the log says it', async () => {
  const agent = await storeAgent(app, ada.email, { name: 'deployed', yaml: privately });
  const [of_ada, of_olga] = [await follow(ada), await follow(olga)];
  const times = () => of_ada.seen.filter(({ data }) => data.kind === 'deployment' && data.id === run_id).length;
  const run_id = await app.db.transaction(async (tx) => {
    const actor = { user_id: randomUUID(), name: ada.email };
    const { id } = await enqueue(tx, { kind: 'deploy', mutex: randomUUID(), input: {}, actor });
    await tx.run(sql`update run set lease_until = 'infinity' where id = ${id}`);
    const { asset_id: agent_id, name, version_id, digest } = agent;
    const of = { agent_id, agent: name, version_id, version: '1.0.0', digest, target: 'local', approval_id: null };
    await insertDeployment(tx, { operation: 'deploy', run_id: id, ...of });
    return id;
  });
  await expect.poll(times, patient).toBe(1);
  await app.db.run(sql`update run set state = 'running' where id = ${run_id}`);
  await expect.poll(times, patient).toBe(2);
  await app.db.run(sql`update run set state = 'done', ended_at = clock_now() where id = ${run_id}`);
  await expect.poll(times, patient).toBe(3);
  await settle(of_olga);
  expect(JSON.stringify(of_olga.seen)).not.toContain(run_id);
});

describe('a reader that comes back', () => {
  test('gets each missed change once after its last event, and everything after an unknown one', async () => {
    const first = await follow(app.admin);
    await app.admin.client.call('teams.create', { body: { name: 'before' } });
    await expect.poll(first.told, patient).toContain('team before');
    await settle(first);
    await first.stop();
    const last = first.last_id() ?? '';
    await app.admin.client.call('teams.create', { body: { name: 'meanwhile' } });
    const second = await follow(app.admin, last);
    await app.admin.client.call('teams.create', { body: { name: 'after' } });
    await expect.poll(second.told, patient).toContain('team after');
    expect(second.told().filter((one) => one.startsWith('team '))).toEqual(['team meanwhile', 'team after']);
    for (const unknown of [`${randomUUID()}.1`, `${last}0000`, 'nonsense']) {
      const third = await follow(app.admin, unknown);
      await expect.poll(third.told, patient).toEqual(['everything']);
      await third.stop();
    }
  });
});

test('a change that cannot be read ends no stream: its readers ask for all, and are told of the next ones', async () => {
  let isIll = false;
  const failing: Database = {
    ...app.db,
    all: async (query) => {
      if (isIll && query.strings.join('').includes('from team where name')) throw new RangeError('poison');
      return await app.db.all(query);
    },
  };
  const faults: unknown[] = [];
  const catchUp = async () => await Promise.resolve(false);
  const feed = openFeed({ db: failing, catchUp, onError: (error) => faults.push(error) });
  const after = async (position: string) => {
    await feed.refresh();
    return feed.after(position);
  };
  await feed.refresh();
  const before = feed.position();
  isIll = true;
  await app.admin.client.call('teams.create', { body: { name: 'poisoned' } });
  await expect.poll(async () => await after(before), patient).toBeUndefined();
  expect(faults).toMatchObject([{ message: 'poison' }]);
  isIll = false;
  const next = feed.position();
  await app.admin.client.call('teams.create', { body: { name: 'well' } });
  const well = { kind: 'team', name: 'well' };
  await expect.poll(async () => await after(next), patient).toEqual([expect.objectContaining(well)]);
});

test('a reader is told of no change after the right to read it ended', async () => {
  const { name } = await storeAgent(app, ada.email, { name: 'closing', yaml: privately });
  const vic = await app.user('vic@example.com', { teams: { ml: 'viewer' } });
  const of_vic = await follow(vic);
  const touch = async () =>
    await ada.client.call('secrets.set', { body: { agent: name, name: 'T', value: randomUUID() } });
  await touch();
  await expect.poll(of_vic.told, patient).toContain('secret T');
  await max.client.call('teams.remove_member', { params: { team: 'ml', principal: `user:${vic.email}` } });
  await settle(of_vic);
  const before = of_vic.told().filter((one) => one === 'secret T').length;
  await touch();
  await settle(of_vic);
  expect(of_vic.told().filter((one) => one === 'secret T').length).toBe(before);
});

test('a deleted asset is told to those whom its visibility let read it', async () => {
  const make = async (name: string, visibility: 'team' | 'org' | 'private') =>
    await ada.client.call('registry.create', { params: { kind: 'tool' }, body: { name, team: 'ml', visibility } });
  await make('of-all', 'org');
  await make('of-team', 'team');
  await make('of-ada', 'private');
  const [of_ada, of_max, of_vi, of_olga] = [
    await follow(ada),
    await follow(max),
    await follow(await app.user('vl@example.com', { teams: { ml: 'viewer' } })),
    await follow(olga),
  ];
  for (const name of ['of-all', 'of-team', 'of-ada'])
    await ada.client.call('registry.delete', { params: { kind: 'tool', name } });
  await settle(of_ada, of_max, of_vi, of_olga);
  const deleted = ({ told }: Followed) => told().filter((one) => one.startsWith('asset '));
  const [all, team, own] = ['asset tools/of-all', 'asset tools/of-team', 'asset tools/of-ada'];
  expect([of_ada, of_max, of_vi, of_olga].map(deleted)).toEqual([
    [all, team, own],
    [all, team, own],
    [all, team],
    [all],
  ]);
});

test('a caller has eight open streams, and one that ends frees its place', async () => {
  const many = await app.user('many@example.com', { teams: { ml: 'viewer' } });
  const open: Followed[] = [];
  for (let n = 0; n < streams_per_caller; n++) open.push(await follow(many));
  await expect(follow(many)).rejects.toMatchObject({ code: 'too_many_requests' });
  await follow(ada);
  await open[0]?.stop();
  await expect
    .poll(
      async () =>
        await follow(many).then(
          () => 'open',
          ({ code }: { code: string }) => code,
        ),
      patient,
    )
    .toBe('open');
});

test('the end of the session ends a quiet stream', async () => {
  const leaver = await app.user('leaver@example.com', { teams: { ml: 'viewer' } });
  const stream = await follow(leaver);
  await leaver.client.call('auth.revoke', { body: {} });
  await expect.poll(stream.refused, patient).toMatchObject({ code: 'unauthenticated' });
});
