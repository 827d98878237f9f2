// Labels of prompts: who moves one, what an agent reads after it, and what is on record.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { doorStage, type DoorStage } from '../../testing/agents/door-stage.ts';
import { makePrompt, pinOfPrompt } from '../../testing/agents/make-prompt.ts';
import type { TestUser } from '../../testing/test-app.ts';

let stage: DoorStage;
/** In team ml. */
let dan: TestUser;
let cleo: TestUser;
beforeAll(async () => {
  stage = await doorStage({
    project: { name: 'keeper', yaml: 'prompts: {talk: prompts/talk@production}\n' },
    pins: async (app, ada) => {
      await makePrompt(ada, 'talk', { '1.0.0': 'Old', '1.1.0': 'New', '1.2.0': 'Newer', '1.2.1': 'Newest' });
      await ada.client.call('prompts.move_label', {
        params: { name: 'talk', label: 'production' },
        body: { version: '1.0.0' },
      });
      return [await pinOfPrompt(app, { ref: 'prompts/talk@production', name: 'talk', version: '1.0.0' })];
    },
  });
  dan = await stage.app.user('dan@example.com', { teams: { ml: 'deployer' } });
  cleo = await stage.app.user('cleo@example.com', { teams: { ml: 'contributor' } });
  await stage.ada.client.call('permissions.grant', {
    body: {
      resource_type: 'prompt',
      resource_id: 'talk',
      principal_type: 'user',
      principal_id: cleo.email,
      actions: ['write'],
    },
  });
});
afterAll(async () => await stage?.close());

const moves = (of: TestUser, body: { version?: string; from?: string }, label = 'production') =>
  of.client.call('prompts.move_label', { params: { name: 'talk', label }, body });
const versionNow = async () =>
  (await cleo.client.call('prompts.labels', { params: { name: 'talk' } })).find(({ label }) => label === 'production')
    ?.version;
async function approve(version: string): Promise<string> {
  const { id } = await cleo.client.call('approvals.submit', {
    body: { asset: `prompts/talk@${version}`, message: 'please' },
  });
  await stage.app.admin.client.call('approvals.approve', { params: { id }, body: { reason: 'fine' } });
  return id;
}
async function textOfAgent(): Promise<unknown> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const headers = { authorization: `Bearer ${stage.key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stage.door}/mcp`), { requestInit: { headers } }));
  const { messages, _meta } = await client.getPrompt({ name: 'talk' });
  await client.close();
  return { text: messages[0]?.content, version: _meta?.['gantry/version'], label: _meta?.['gantry/label'] };
}

beforeEach(async () => {
  if ((await versionNow()) !== '1.0.0') await moves(stage.ada, { version: '1.0.0' });
});

test('a moved label is in the next read of an agent, and so is its undo', async () => {
  expect(await textOfAgent()).toMatchObject({ text: { text: 'Old' }, version: '1.0.0', label: 'production' });
  expect(await moves(stage.ada, { version: '1.1.0' })).toMatchObject({ version: '1.1.0', moved_by: stage.ada.email });
  expect(await textOfAgent()).toMatchObject({ text: { text: 'New' }, version: '1.1.0' });
  expect(await moves(stage.ada, {})).toMatchObject({ version: '1.0.0' });
  expect(await textOfAgent()).toMatchObject({ text: { text: 'Old' }, version: '1.0.0' });
});

test('a deployer moves a label to approved text only, and the refusal says how to ask', async () => {
  const refused = await moves(dan, { version: '1.1.0' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'approval_required',
    hint: expect.stringContaining('svc submit --asset prompts/talk@1.1.0') as string,
  });
  expect(await versionNow()).toBe('1.0.0');
  const approval_id = await approve('1.1.0');
  expect(await moves(dan, { version: '1.1.0' })).toMatchObject({ approval_id });
  // Back to the text that nobody approved.
  await expect(moves(dan, {})).rejects.toMatchObject({ code: 'approval_required' });
});

test('a contributor asks and does not move, also with an approval', async () => {
  await expect(moves(cleo, { version: '1.1.0' })).rejects.toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('svc submit --asset prompts/talk') as string,
  });
});

test('an admin needs an approval too where the organisation says so', async () => {
  await stage.app.settings({ require_approval_for_admins: true });
  await expect(moves(stage.ada, { version: '1.2.0' })).rejects.toMatchObject({ code: 'approval_required' });
  await stage.app.settings({ require_approval_for_admins: false });
  expect(await moves(stage.ada, { version: '1.2.0' })).toMatchObject({ approval_id: null });
});

test('a person who asked for an approval does not approve it, also as an admin', async () => {
  const { id } = await stage.ada.client.call('approvals.submit', {
    body: { asset: 'prompts/talk@1.2.1', message: 'mine' },
  });
  await expect(
    stage.ada.client.call('approvals.approve', { params: { id }, body: { reason: 'fine' } }),
  ).rejects.toMatchObject({ code: 'own_request' });
  await stage.app.admin.client.call('approvals.approve', { params: { id }, body: { reason: 'fine' } });
  expect(await moves(dan, { version: '1.2.1' })).toMatchObject({ approval_id: id });
});

test('where the config of a prompt asks for an approval, an admin needs one to move a label there and away', async () => {
  const config = { template: 'Careful', require_approval: true };
  await stage.ada.client.call('registry.edit', {
    params: { kind: 'prompt', name: 'talk' },
    body: { version: '1.3.0', config },
  });
  await expect(moves(stage.ada, { version: '1.3.0' }, 'strict')).rejects.toMatchObject({ code: 'approval_required' });
  await approve('1.3.0');
  await moves(stage.ada, { version: '1.3.0' }, 'strict');
  await expect(moves(stage.ada, { version: '1.0.0' }, 'strict')).rejects.toMatchObject({ code: 'approval_required' });
});

test('a request shows the text that agents read now beside the text that it asks for', async () => {
  await moves(stage.ada, { version: '1.1.0' });
  const { id } = await cleo.client.call('approvals.submit', { body: { asset: 'prompts/talk@1.2.0', message: 'more' } });
  expect(await stage.ada.client.call('approvals.show', { params: { id } })).toMatchObject({
    compared_with: 'prompts/talk@1.1.0',
    changes: { config: [{ path: 'template', before: 'New', after: 'Newer' }] },
  });
});

test('each move is listed with who, when, from and to, and is in the log', async () => {
  await moves(stage.ada, { version: '1.2.0' });
  await moves(stage.ada, {});
  const { items } = await cleo.client.call('prompts.label_moves', { params: { name: 'talk' }, query: { limit: 2 } });
  expect(items).toMatchObject([
    { label: 'production', from_version: '1.2.0', version: '1.0.0', moved_by: stage.ada.email },
    { label: 'production', from_version: '1.0.0', version: '1.2.0', moved_by: stage.ada.email },
  ]);
  const log = await stage.app.admin.client.call('audit.list', { query: { action: 'prompt.label_moved', limit: 1 } });
  expect(log.items).toMatchObject([
    { asset: 'prompts/talk', detail: { label: 'production', before: '1.2.0', version: '1.0.0', undo: true } },
  ]);
});

test('the pages of the moves are complete', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 1, ...(cursor !== undefined && { cursor }) };
    const page = await cleo.client.call('prompts.label_moves', { params: { name: 'talk' }, query });
    seen.push(...page.items.map(({ moved_at }) => moved_at));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  const all = await cleo.client.call('prompts.label_moves', { params: { name: 'talk' }, query: { limit: 200 } });
  expect(seen).toEqual(all.items.map(({ moved_at }) => moved_at));
});

test('a label that moved meanwhile, that is there already, or that has no earlier version is refused', async () => {
  await expect(moves(stage.ada, { version: '1.1.0', from: '1.2.0' })).rejects.toMatchObject({
    code: 'conflict',
    detail: 'The label production of prompts/talk means 1.0.0 now, not 1.2.0.',
  });
  await expect(moves(stage.ada, { version: '1.0.0' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(moves(stage.ada, {}, 'never')).rejects.toMatchObject({
    code: 'conflict',
    hint: 'Set it: svc prompt label talk never <version>',
  });
  await expect(moves(stage.ada, { version: '9.9.9' })).rejects.toMatchObject({ code: 'not_found' });
});

test('of two moves at once, one sees the other', async () => {
  const both = await Promise.allSettled(
    ['1.1.0', '1.2.0'].map((version) => moves(stage.ada, { version, from: '1.0.0' })),
  );
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test.each(['1.0.0', 'latest', 'Production', 'a'.repeat(64), 'x/../y'])('%s is no label', async (label) => {
  await expect(moves(stage.ada, { version: '1.1.0' }, label)).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:not_found|malformed)$/) as string,
  });
});

test('a person renders the version of a label', async () => {
  expect(
    await cleo.client.call('prompts.render', { params: { name: 'talk' }, body: { version: 'production' } }),
  ).toMatchObject({ ref: 'prompts/talk@1.0.0', label: 'production', messages: [{ role: 'user', content: 'Old' }] });
});
