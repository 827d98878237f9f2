// Knowledge bases of an agent: each is a tool at the door, and a search is made as the person for whom the run is.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../ground/database/sql.ts';
import { doorStage, type DoorStage } from '../../../testing/agents/door-stage.ts';
import { refreshed } from '../../../testing/knowledge/knowledge-stage.ts';
import type { TestUser } from '../../../testing/test-app.ts';

let stage: DoorStage;
let bob: TestUser;
const ids = new Map<string, string>();

const documents = [
  { title: 'leave', text: '# Leave\n\nEverybody has 30 days of leave.' },
  { title: 'salaries', text: '# Salaries\n\nThe director has 40 days of leave.' },
];
const rights = [{ documents: 'salaries', readers: ['user:ada@example.com'] }];

beforeAll(async () => {
  stage = await doorStage({
    project: { name: 'keeper', yaml: 'knowledge_bases: [kb/handbook, kb/empty]\n' },
    pins: async ({ db }, { client }) => {
      for (const name of ['handbook', 'empty'])
        await client.call('registry.create', {
          params: { kind: 'knowledge-base' },
          body: { name, team: 'ml', visibility: 'team', config: { documents, rights, language: 'en' } },
        });
      await refreshed(client, 'knowledge.refresh', 'handbook');
      return await db.all(sql`
        select 'knowledge-bases/' || a.name as ref, v.asset_id, v.version, v.digest
        from version v join asset a on a.id = v.asset_id where a.kind = 'knowledge-base'`);
    },
  });
  bob = await stage.app.user('bob@example.com', { teams: { ml: 'viewer' } });
  for (const { email, id } of await stage.app.db.all<{ email: string; id: string }>(
    sql`select email, id from app_user`,
  ))
    ids.set(email, id);
}, 60_000);
afterAll(async () => await stage?.close());

async function asks(who: TestUser, path = '/mcp') {
  const caller_id = ids.get(who.email) ?? '';
  const run_id = await stage.storeRun({ caller_id });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    'x-svc-run': stage.tokenOf({ id: run_id, caller_id }),
  };
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const url = new URL(stage.door + path);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, structuredContent, isError, _meta } = await client.callTool({ name, arguments: args });
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return { texts, structured: structuredContent as Found | undefined, isError, code: _meta?.['gantry/problem'] };
  };
  return { run_id, client, call };
}

interface Found {
  passages: { number: number; title: string; document: string; start: number; end: number; link: string }[];
  searched: { base: string; snapshot: number }[];
}

test('each knowledge base is a tool, and a search finds what the person of the run may read', async () => {
  const { client, call } = await asks(stage.ada);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_empty', 'search_handbook']);
  const mine = await call('search_handbook', { query: 'days of leave' });
  expect(mine.structured?.passages.map(({ title }) => title).toSorted()).toEqual(['leave', 'salaries']);
  expect(mine.texts[0]).toContain('no instructions');
  const theirs = await (await asks(bob)).call('search_handbook', { query: 'days of leave' });
  expect(theirs.structured?.passages.map(({ title }) => title)).toEqual(['leave']);
  expect(JSON.stringify(theirs)).not.toContain('director');
  expect(theirs.structured?.searched).toEqual([{ base: 'knowledge-bases/handbook', snapshot: 1 }]);
});

test('a citation gives the bytes of the passage', async () => {
  const { structured, texts } = await (await asks(bob)).call('search_handbook', { query: 'leave', limit: 1 });
  const { document = '', start = 0, end = 0, link } = structured?.passages[0] ?? {};
  const cited = await bob.client.call('knowledge.text', {
    params: { name: 'handbook', document },
    query: { start, end },
  });
  expect(texts[1]).toContain(cited.text);
  expect(texts[1]).toContain(link);
});

test('the call is on the record, marks what its run has read, and its span names the snapshot', async () => {
  const { run_id, call } = await asks(bob, '/mcp/knowledge');
  await call('search_handbook', { query: 'leave' });
  const row = await stage.app.db.one(sql`
    select server, tool, outcome from tool_call where run_id = ${run_id}`);
  expect(row).toMatchObject({ server: 'knowledge-bases/handbook', tool: 'search_handbook', outcome: 'answered' });
  const attributes = async () =>
    (
      await stage.app.db.one<{ attributes: Record<string, unknown> }>(
        sql`select attributes from span where run_id = ${run_id} and kind = 'tool'`,
      )
    )?.attributes;
  await expect.poll(attributes).toMatchObject({
    'gantry.knowledge.snapshots': 'knowledge-bases/handbook#1',
    'gantry.read.outside_text': true,
    'gantry.read.private_data': true,
  });
});

test('a base without a snapshot, another base, and one that the agent may no longer use are not searched', async () => {
  const { call, client } = await asks(stage.ada);
  expect(await call('search_empty', { query: 'leave' })).toMatchObject({ isError: true, code: 'nothing_serves' });
  expect(await call('search_other', { query: 'leave' })).toMatchObject({ isError: true, code: 'not_found' });
  expect(await call('search_handbook', { query: '', more: true })).toMatchObject({ code: 'arguments_refused' });
  const params = { kind: 'knowledge-base', name: 'handbook' } as const;
  await stage.ada.client.call('registry.set_visibility', { params, body: { visibility: 'private' } });
  expect(await call('search_handbook', { query: 'leave' })).toMatchObject({ isError: true });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_empty']);
});
