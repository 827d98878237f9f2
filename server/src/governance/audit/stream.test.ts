// Streams and exports of a growing log. A resumed reader misses nothing, and gets only permitted entries.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditUpdate, ExportLine } from '@gantry/contract/audit/audit-stream.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import { sql } from '../../ground/database/sql.ts';
import { storeAgent } from '../../testing/stored/stored-agent.ts';
import { testApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { entryHash } from '../../../../verifier/verify.mjs';

// Other tests use the same machine.
const patient = { timeout: 15_000, interval: 20 };
let app: TestApp;
let ada: TestUser;
let max: TestUser;
let olga: TestUser;

beforeAll(async () => {
  app = await testApp();
  ada = await app.user('ada@example.com', { teams: { ml: 'contributor' } });
  max = await app.user('max@example.com', { teams: { ml: 'admin' } });
  olga = await app.user('olga@example.com', { teams: { ops: 'admin' } });
});
afterAll(async () => await app?.stop());

const makeTeam = async (name: string) => await app.admin.client.call('teams.create', { body: { name } });

async function exported(query: { chain?: 'signin' | 'governance'; since_cursor?: string } = {}): Promise<ExportLine[]> {
  const lines: ExportLine[] = [];
  for await (const line of await app.admin.client.call('audit.export', { query })) lines.push(line);
  return lines;
}

function entriesOf(lines: ExportLine[]) {
  return lines.filter((each) => each.kind === 'entry');
}

function cursorOf(lines: ExportLine[]): string {
  const last = lines.at(-1);
  if (last?.kind !== 'cursor') throw new Error('the export ended early');
  return last.cursor;
}

interface Followed {
  seen: StreamEvent<AuditUpdate>[];
  names: () => unknown[];
  /** The reason of the end, after the end. */
  refused: () => unknown;
  stop: () => Promise<void>;
}

async function follow(
  user: TestUser,
  query: { action?: string; asset?: string; user?: string; outcome?: 'done' | 'refused'; since?: string } = {},
  last_event_id?: string,
): Promise<Followed> {
  const leaving = new AbortController();
  const resume = last_event_id === undefined ? {} : { last_event_id };
  const stream = await user.client.call('audit.follow', { query }, { signal: leaving.signal, ...resume });
  const seen: StreamEvent<AuditUpdate>[] = [];
  let refused: unknown;
  const reading = (async () => {
    for await (const event of stream) seen.push(event);
  })().catch((error: unknown) => (refused = error));
  await expect.poll(() => seen.length, patient).toBeGreaterThan(0);
  return {
    seen,
    names: () => seen.flatMap(({ data }) => (data.entry === null ? [] : [data.entry.team])),
    refused: () => refused,
    stop: async () => {
      leaving.abort();
      await reading;
    },
  };
}

test('each filter narrows alone, and all filters narrow together', async () => {
  const { ref } = await storeAgent(app, ada.email, { name: 'filtered' });
  const asset = 'agents/filtered';
  const submitted = await ada.client.call('approvals.submit', { body: { asset: ref } });
  await expect(ada.client.call('approvals.approve', { params: { id: submitted.id }, body: {} })).rejects.toMatchObject({
    code: 'forbidden',
  });
  await app.db.run(sql`select pg_sleep(0.005)`);
  const between = new Date((await app.db.one<{ at: string }>(sql`select clock_now() as at`))?.at ?? '').toISOString();
  await app.db.run(sql`select pg_sleep(0.005)`);
  await max.client.call('approvals.reject', { params: { id: submitted.id }, body: { reason: 'no' } });
  type Query = {
    asset?: string;
    user?: string;
    action?: string;
    outcome?: 'done' | 'refused';
    since?: string;
    until?: string;
  };
  const read = async (query: Query) =>
    (await app.admin.client.call('audit.list', { query: { limit: 200, ...query } })).items;
  const events = async (query: Query) => (await read(query)).map(({ event }) => event);

  expect(await events({ asset })).toEqual(['approval.decided', 'refused', 'approval.submitted', 'asset.created']);
  expect(new Set((await read({ user: 'Max@Example.com' })).map(({ actor }) => actor.name))).toEqual(
    new Set([max.email]),
  );
  expect(await events({ action: 'approval' })).toEqual(['approval.decided', 'approval.submitted']);
  expect(await events({ action: 'approval.decided' })).toEqual(['approval.decided']);
  expect(new Set((await read({ outcome: 'refused' })).map(({ outcome }) => outcome))).toEqual(new Set(['refused']));
  expect(await events({ since: between })).toEqual(['approval.decided']);
  expect(await events({ until: between })).not.toContain('approval.decided');
  const before = { until: between, since: new Date(Date.parse(between) - 60_000).toISOString() };
  expect(await events({ ...before, asset, user: ada.email, action: 'approval', outcome: 'done' })).toEqual([
    'approval.submitted',
  ]);
  expect(await events({ ...before, asset, user: ada.email, action: 'approval', outcome: 'refused' })).toEqual([]);
});

test('a follower gets new matching entries, and continues after a lost connection without gap or repeat', async () => {
  const first = await follow(app.admin, { action: 'team.created' });
  await makeTeam('follow-1');
  await ada.client.call('auth.me', {});
  await expect.poll(first.names, patient).toEqual(['follow-1']);
  await first.stop();
  const last = first.seen.at(-1)?.id;
  await makeTeam('follow-2');
  await makeTeam('follow-3');
  const second = await follow(app.admin, { action: 'team.created' }, last);
  await makeTeam('follow-4');
  await expect.poll(second.names, patient).toEqual(['follow-2', 'follow-3', 'follow-4']);
  await second.stop();
});

test('a connection that breaks before the first entry resumes at its start', async () => {
  const first = await follow(app.admin, { action: 'team.created' });
  await first.stop();
  await makeTeam('before-first');
  const second = await follow(app.admin, { action: 'team.created' }, first.seen[0]?.id);
  await expect.poll(second.names, patient).toEqual(['before-first']);
  await second.stop();
});

test('a stream since a time begins with the existing entries', async () => {
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'team.created', limit: 1 } });
  const since = new Date(Date.parse(items[0]?.occurred_at ?? '') - 1).toISOString();
  const following = await follow(app.admin, { action: 'team.created', since });
  await makeTeam('since-then');
  await expect.poll(following.names, patient).toEqual([items[0]?.team, 'since-then']);
  await following.stop();
});

test('a follower gets only entries about their teams, assets and own actions, with any filter', async () => {
  const foreign = await follow(olga, { asset: 'agents/followed' });
  const foreignUser = await follow(olga, { user: ada.email });
  const team = await follow(max, { asset: 'agents/followed' });
  const own = await follow(ada);
  await storeAgent(app, ada.email, { name: 'followed', yaml: 'access: {visibility: team}\n' });
  const events = ({ seen }: Followed) => seen.flatMap(({ data }) => (data.entry === null ? [] : [data.entry.event]));
  await expect.poll(() => events(team), patient).toEqual(['asset.created']);
  await expect.poll(() => events(own), patient).toContain('asset.created');
  // The stream has passed the entry without showing it.
  await expect.poll(() => foreign.seen.at(-1)?.id, patient).toBe(team.seen.at(-1)?.id);
  expect(events(foreign)).toEqual([]);
  expect(events(foreignUser)).toEqual([]);
  for (const each of [foreign, foreignUser, team, own]) await each.stop();
});

test('a stream ends with the refusal and no further entry when its reader loses the session', async () => {
  const eve = await app.user('eve@example.com', { role: 'admin' });
  const following = await follow(eve, { action: 'team.created' });
  await makeTeam('still-told');
  await expect.poll(following.names, patient).toEqual(['still-told']);
  await app.governed(sql`update app_user set active = false where email = ${eve.email} returning id`);
  // A loaded caller is valid for one second.
  let made = 0;
  const refused = async () => {
    await makeTeam(`news-${++made}`);
    return following.refused();
  };
  await expect.poll(refused, patient).toMatchObject({ code: 'unauthenticated' });
  const told = following.names().length;
  await makeTeam('never-told');
  expect(following.names()).toHaveLength(told);
  await following.stop();
  await expect(follow(eve)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('an export contains every entry with its hash input, and the next export continues after it', async () => {
  const first = await exported();
  const stored = await app.db.all<{ chain: string; seq: number }>(
    sql`select chain, seq from audit.entry order by chain desc, seq`,
  );
  expect(entriesOf(first).map(({ chain, seq }) => ({ chain, seq }))).toEqual(stored);
  for (const { hash, ...entry } of entriesOf(first)) expect(entryHash(entry)).toBe(hash);
  expect(entriesOf(first).at(-1)).toBeDefined();
  await makeTeam('exported');
  const second = entriesOf(await exported({ since_cursor: cursorOf(first) }));
  expect(second.map(({ body }) => (JSON.parse(body) as { event: string }).event)).toEqual([
    'audit.exported',
    'team.created',
  ]);
});

test('an export is recorded, with its caller and query', async () => {
  const lines = await exported({ chain: 'governance' });
  expect(new Set(entriesOf(lines).map(({ chain }) => chain))).toEqual(new Set(['governance']));
  const { items } = await app.admin.client.call('audit.list', { query: { action: 'audit.exported', limit: 1 } });
  expect(items[0]).toMatchObject({
    actor: { name: app.admin.email },
    ip: '127.0.0.1',
    outcome: 'done',
    detail: { chain: 'governance', since: [] },
  });
});

test('a cursor of another log, or of this log before a rollback, is refused', async () => {
  const cursor = cursorOf(await exported());
  const other = cursor.replace(/[0-9a-f]{64}/, 'ab'.repeat(32));
  const ahead = cursor.replace(/governance:(\d+)/, (_, seq: string) => `governance:${Number(seq) + 5}`);
  for (const since_cursor of [other, ahead, 'nonsense', `${cursor},${cursor}`]) {
    await expect(exported({ since_cursor })).rejects.toMatchObject({ code: 'bad_cursor' });
    await expect(follow(app.admin, {}, since_cursor)).rejects.toMatchObject({ code: 'bad_cursor' });
  }
});

test('a name with line breaks or cursor syntax stays within its line', async () => {
  const text = 'a\r\nb\u2028c\u0085d\u001b[2J\u202e';
  await app.governed(sql`update app_user set name = ${text} where email = ${ada.email} returning id`);
  await expect(app.anonymous.call('auth.login', { body: { email: 'a@b.cd', password: text } })).rejects.toBeDefined();
  const { id } = await ada.client.call('approvals.submit', {
    body: { asset: (await storeAgent(app, ada.email, { name: 'lines' })).ref, message: 'a\nb\u2028c\u0085d\u202e' },
  });
  await max.client.call('approvals.reject', { params: { id }, body: { reason: 'x\ny\u2028{"kind":"cursor"}' } });
  const response = await fetch(`${app.url}/api/v1/audit/export`, {
    headers: { authorization: `Bearer ${app.admin.token}` },
  });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const raw = await response.text();
  expect(raw).toMatch(/^[\n\x20-\x7e]*$/);
  const lines = raw
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportLine);
  expect(lines.at(-1)?.kind).toBe('cursor');
  expect(lines.some(({ kind }) => kind === 'checkpoint')).toBe(true);
  expect(lines.filter(({ kind }) => kind === 'cursor')).toHaveLength(1);
  expect(JSON.parse(entriesOf(lines).at(-1)?.body ?? '')).toMatchObject({
    detail: { reason: 'x\ny\u2028{"kind":"cursor"}' },
  });
});
