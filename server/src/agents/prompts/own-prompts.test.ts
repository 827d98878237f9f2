// The prompts of an agent at its door: as MCP prompts, with the text that its push has pinned.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../ground/database/sql.ts';
import { doorStage, type DoorStage } from '../../testing/agents/door-stage.ts';
import { makePrompt, pinOfPrompt } from '../../testing/agents/make-prompt.ts';

let stage: DoorStage;
let ada_id: string;
beforeAll(async () => {
  stage = await doorStage({
    project: {
      name: 'keeper',
      yaml: `prompts:
  greet: prompts/hello@1.0.0
  newest: prompts/hello
  closed: prompts/closed
`,
    },
    pins: async (app, ada) => {
      await makePrompt(ada, 'hello', { '1.0.0': 'Hello {{who}}', '1.1.0': 'Welcome' });
      await makePrompt(ada, 'closed', { '1.0.0': 'Secret' });
      const pins = [
        await pinOfPrompt(app, { ref: 'prompts/closed', name: 'closed', version: '1.0.0' }),
        await pinOfPrompt(app, { ref: 'prompts/hello', name: 'hello', version: '1.1.0' }),
        await pinOfPrompt(app, { ref: 'prompts/hello@1.0.0', name: 'hello', version: '1.0.0' }),
      ];
      // Changed after the push: the agent keeps what it was pushed with.
      await ada.client.call('registry.edit', {
        params: { kind: 'prompt', name: 'hello' },
        body: { version: '2.0.0', config: { template: 'Other' } },
      });
      // The agent's team loses `use`.
      await app.governed(sql`delete from permission p using asset a where a.id = p.asset_id and a.name = 'closed'
        and p.principal_type = 'team' returning p.id`);
      return pins;
    },
  });
  const row = await stage.app.db.one<{ id: string }>(sql`select id from app_user where email = ${stage.ada.email}`);
  ada_id = row?.id ?? '';
});
afterAll(async () => await stage?.close());

const openRun = async () => await stage.storeRun({ caller_id: ada_id });

async function connected(run_id?: string): Promise<Client> {
  const made = new Client({ name: 'agent', version: '1.0.0' });
  const headers = {
    authorization: `Bearer ${stage.key}`,
    ...(run_id !== undefined && { 'x-svc-run': stage.tokenOf({ id: run_id, caller_id: ada_id }) }),
  };
  await made.connect(new StreamableHTTPClientTransport(new URL(`${stage.door}/mcp`), { requestInit: { headers } }));
  return made;
}

test('the prompts of the version are MCP prompts by their keys, without those that the agent may not use', async () => {
  const client = await connected();
  const { prompts } = await client.listPrompts();
  expect(prompts).toMatchObject([
    { name: 'greet', description: 'prompts/hello@1.0.0', arguments: [{ name: 'who', required: true }] },
    { name: 'newest', description: 'prompts/hello@1.1.0', arguments: [] },
  ]);
  await client.close();
});

test('a prompt is the text that the push has pinned, with its variables', async () => {
  const client = await connected(await openRun());
  expect(await client.getPrompt({ name: 'greet', arguments: { who: 'Bea' } })).toMatchObject({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello Bea' } }],
    _meta: { 'gantry/version': '1.0.0' },
  });
  expect(await client.getPrompt({ name: 'newest' })).toMatchObject({ messages: [{ content: { text: 'Welcome' } }] });
  await client.close();
});

async function ask(path: string, { run_id, body }: { run_id?: string; body?: object } = {}) {
  const response = await fetch(stage.door + path, {
    headers: {
      authorization: `Bearer ${stage.key}`,
      'content-type': 'application/json',
      ...(run_id !== undefined && { 'x-svc-run': stage.tokenOf({ id: run_id, caller_id: ada_id }) }),
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('the address of the agent has the same prompts, also outside of a run', async () => {
  const greet = {
    key: 'greet',
    ref: 'prompts/hello@1.0.0',
    label: null,
    messages: [{ role: 'user', content: 'Hello {{who}}' }],
    variables: [{ name: 'who', description: 'A name', default: null }],
  };
  expect(await ask('/prompts')).toMatchObject({ status: 200, body: { data: [greet, { key: 'newest' }] } });
  expect(await ask('/prompts/greet')).toMatchObject({ status: 200, body: { data: greet } });
  const rendered = await ask('/prompts/greet/render', { run_id: await openRun(), body: { variables: { who: 'Bea' } } });
  expect(rendered).toMatchObject({ status: 200, body: { data: { messages: [{ content: 'Hello Bea' }] } } });
});

test('the address refuses what the MCP prompts refuse', async () => {
  expect(await ask('/prompts/other')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await ask('/prompts/closed')).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(await ask('/prompts/constructor')).toMatchObject({ status: 404 });
  expect(await ask('/prompts/greet/render', { body: { variables: {} } })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '/variables/who' }] },
  });
  const run_id = await openRun();
  await stage.endRun(run_id);
  expect(await ask('/prompts/greet', { run_id })).toMatchObject({ body: { code: 'run_refused' } });
});

test('missing and unknown variables are named', async () => {
  const client = await connected(await openRun());
  await expect(client.getPrompt({ name: 'greet', arguments: { whom: 'Bea' } })).rejects.toThrow(
    'the variable `who` is missing, the prompt has no variable `whom`; did you mean `who`?',
  );
  await client.close();
});

test('no other key is read, and no prompt without use of it', async () => {
  const client = await connected(await openRun());
  await expect(client.getPrompt({ name: 'other' })).rejects.toThrow('not among the prompts of agents/keeper');
  await expect(client.getPrompt({ name: 'closed' })).rejects.toThrow('no use permission on prompts/closed');
  await client.close();
});

test('an agent reads its prompts outside of a run, but not with the token of a run that has ended', async () => {
  const outside = await connected();
  expect(await outside.getPrompt({ name: 'newest' })).toMatchObject({ messages: [{ content: { text: 'Welcome' } }] });
  await outside.close();
  const run_id = await openRun();
  const client = await connected(run_id);
  await stage.endRun(run_id);
  await expect(client.getPrompt({ name: 'newest' })).rejects.toThrow('has ended');
  await client.close();
});

test('each read in a run is a span of its trace with the version and the digest', async () => {
  const run_id = await openRun();
  const client = await connected(run_id);
  await client.getPrompt({ name: 'greet', arguments: { who: 'Bea' } });
  await client.close();
  const span = await vi.waitFor(async () => {
    const { spans } = await stage.app.admin.client.call('traces.show', { params: { id: 'a'.repeat(32) } });
    const found = spans.find((one) => one.run_id === run_id && one.name === 'prompt prompts/hello@1.0.0');
    if (found === undefined) throw new Error('no span yet');
    return found;
  });
  const { digest } = await stage.app.admin.client.call('prompts.render', {
    params: { name: 'hello' },
    body: { version: '1.0.0', variables: { who: 'x' } },
  });
  expect(span).toMatchObject({ status: 'ok', attributes: { 'prompt.key': 'greet', 'prompt.version': '1.0.0' } });
  expect(span.attributes['prompt.digest']).toBe(digest);
  expect(JSON.stringify(span)).not.toContain('Bea');
});
