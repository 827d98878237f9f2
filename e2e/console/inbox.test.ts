// What waits for a person, answered from its page by the caller of the run, and by somebody whom the agent names.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import {
  inputRequired,
  inputResponse,
  mcpServerOfTest,
  textTool,
} from '../../server/src/testing/servers/mcp-server.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';
import type { Person } from './stage.ts';

const stage = await sharedStage();
let browser: Browser;
let vera: Client;

beforeAll(async () => {
  browser = await openBrowser();
  vera = await clientOf('vera');
});
afterAll(async () => await browser?.close());

async function clientOf(person: Person): Promise<Client> {
  const { email, password } = stage.people[person];
  const anonymous = createClient({ base_url: stage.url, token: () => undefined });
  const { access_token } = await anonymous.call('auth.login', { body: { email, password } });
  return createClient({ base_url: stage.url, token: () => access_token });
}
const open = async (person: Person) => await visit(browser, { gantry: stage, people: stage.people }, person);

/** vera's call, which waits. */
async function askFor(order: string): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify({ input: { order, amount: 70 }, thread_id: `inbox-${order}` }));
  const answered = await vera.call('invoke.call', { params: { name: 'refunds' }, body });
  expect(await answered.json()).toMatchObject({ status: 'interrupted' });
}

test('a person answers an own run from the inbox, its badge and home count it, and the run goes on', async () => {
  await askFor('51');
  const visitor = await open('vera');
  const { page } = visitor;
  await visitor.open('/');
  const badge = page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: /^Inbox/ });
  await badge.getByText('waiting for you').waitFor({ state: 'attached' });
  await page.getByText('asks you before it goes on').first().waitFor();
  await badge.click();
  await page.waitForURL('**/inbox');
  const run = page.getByRole('listitem').filter({ hasText: 'Refund 70 for order 51?' });
  await run.getByText('your run').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await run.getByLabel('Your answer').fill('yes');
  await run.getByRole('button', { name: 'Answer' }).click();
  await run.waitFor({ state: 'detached' });
  const { latest } = await vera.call('threads.show', { params: { name: 'refunds', thread: 'inbox-51' } });
  expect(latest?.values['answer']).toContain('refunded 70');
  expect(visitor.faults).toEqual([]);
  await visitor.close();
});

test('somebody whom the agent names answers the run of another person, and sees nothing of its answer', async () => {
  await askFor('52');
  const max = await open('max');
  await max.open('/inbox');
  const run = max.page.getByRole('listitem').filter({ hasText: 'Refund 70 for order 52?' });
  await run.getByText('a run of vera@example.com').waitFor();
  expect(await run.getByRole('link', { name: 'The conversation' }).count()).toBe(0);
  await run.getByLabel('Your answer').fill('no');
  await run.getByRole('button', { name: 'Answer' }).click();
  await max.page.getByText('refunds goes on for vera@example.com with your answer').waitFor();
  expect(await max.page.getByText('no refund').count()).toBe(0);
  const { latest } = await vera.call('threads.show', { params: { name: 'refunds', thread: 'inbox-52' } });
  expect(latest?.values['answer']).toBe('Order 52: no refund.');
  expect(max.faults).toEqual([]);
  await max.close();
});

test('an admin of the team of a server reads a call with all its arguments, and lets it out once', async () => {
  const upstream = await mcpServerOfTest([textTool('send', 'Sends a parcel', ({ city }) => `sent to ${String(city)}`)]);
  const max = await clientOf('max');
  const config = { transport: 'streamable-http' as const, url: upstream.url, approve: [{ tools: ['send'] }] };
  await max.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'parcels', team: 'ml', visibility: 'team', config },
  });
  const of = { params: { name: 'parcels' } };
  const { seen } = await max.call('tools.look', of);
  await max.call('tools.pin', { ...of, body: { digest: seen?.digest ?? '' } });
  expect(await callTool('vera', 'parcels', 'send', { city: 'Chur' })).toContain('call_waits');

  const visitor = await open('max');
  const { page } = visitor;
  await visitor.open('/inbox');
  const call = page.getByRole('listitem', { name: 'send of parcels, for vera@example.com' });
  await call.getByText('Chur').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await call.getByRole('button', { name: 'Approve this call' }).click();
  await call.waitFor({ state: 'detached' });
  expect(await callTool('vera', 'parcels', 'send', { city: 'Chur' })).toContain('sent to Chur');
  expect(await callTool('vera', 'parcels', 'send', { city: 'Chur' })).toContain('call_waits');

  // The page of the server shows what a person pins.
  upstream.tools = [textTool('send', 'Sends a parcel, and tells everybody', () => 'sent')];
  await visitor.open('/registry/mcp-server/parcels');
  await page.getByRole('button', { name: 'Ask the server now' }).click();
  await page.getByText('Sends a parcel, and tells everybody').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Pin this list' }).click();
  await page.getByRole('button', { name: 'Pin this list' }).waitFor({ state: 'detached' });
  expect(visitor.faults).toEqual([]);
  await visitor.close();
  await upstream.close();
});

test('a question of a server is a form of its fields with hostile texts as they are, and the answer reaches the next call', async () => {
  const requestedSchema = {
    type: 'object' as const,
    properties: {
      day: { type: 'string' as const, format: 'date' as const, title: 'Day' },
      size: { type: 'string' as const, oneOf: [{ const: 'xl', title: 'Small' }] },
      count: { type: 'integer' as const, minimum: 1, default: 2 },
      extras: { type: 'array' as const, items: { type: 'string' as const, enum: ['bow', 'card'] } },
      pin: { type: 'string' as const },
    },
    required: ['day', 'size'],
  };
  const message = '# When\u202e? [here](https://example.com)';
  const upstream = await mcpServerOfTest([
    {
      ...textTool('wrap', 'Wraps a parcel', () => ''),
      call: (_, _progress, answers) =>
        answers === undefined
          ? inputRequired({ inputRequests: { when: inputRequired.elicit({ message, requestedSchema }) } })
          : { content: [{ type: 'text', text: JSON.stringify(inputResponse(answers, 'when')) }] },
    },
  ]);
  const max = await clientOf('max');
  const config = { transport: 'streamable-http' as const, url: upstream.url };
  await max.call('registry.create', {
    params: { kind: 'mcp-server' },
    body: { name: 'wrapper', team: 'ml', visibility: 'team', config },
  });
  const of = { params: { name: 'wrapper' } };
  const { seen } = await max.call('tools.look', of);
  await max.call('tools.pin', { ...of, body: { digest: seen?.digest ?? '' } });
  expect(await callTool('vera', 'wrapper', 'wrap', {})).toContain('question_waits');

  const visitor = await open('vera');
  const { page } = visitor;
  await visitor.open('/inbox');
  const asked = page.getByRole('listitem', { name: 'A question of wrapper, in wrap' });
  await asked.getByText('# When\\u{202e}? [here](https://example.com)').waitFor();
  await asked.getByText('No server may ask for these here').waitFor();
  expect(await asked.getByRole('link').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(await asked.getByRole('button', { name: 'Answer' }).isDisabled()).toBe(true);
  await asked.getByLabel('Day').fill('2026-12-24');
  await asked.getByLabel('size').selectOption({ label: 'Small (xl)' });
  expect(await asked.getByLabel('count').inputValue()).toBe('2');
  await asked.getByLabel('bow').check();
  await asked.getByRole('button', { name: 'Answer' }).click();
  await asked.waitFor({ state: 'detached' });
  const got = { day: '2026-12-24', size: 'xl', count: 2, extras: ['bow'] };
  expect((await callTool('vera', 'wrapper', 'wrap', {})).replaceAll('\\', '')).toContain(
    `"content":${JSON.stringify(got)}`,
  );
  expect(visitor.faults).toEqual([]);
  await visitor.close();
  await upstream.close();
});

async function callTool(person: Person, server: string, name: string, given: object): Promise<string> {
  const { email, password } = stage.people[person];
  const anonymous = createClient({ base_url: stage.url, token: () => undefined });
  const { access_token } = await anonymous.call('auth.login', { body: { email, password } });
  const answer = await fetch(`${stage.url}/mcp/${server}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  });
  return await answer.text();
}

test('a person decides on each action of a question: edits its arguments, rejects it with a reason', async () => {
  const body = new TextEncoder().encode(JSON.stringify({ input: { order: '61' }, thread_id: 'inbox-61' }));
  expect(await (await vera.call('invoke.call', { params: { name: 'cashier' }, body })).json()).toMatchObject({
    status: 'interrupted',
  });
  const visitor = await open('vera');
  const { page } = visitor;
  await visitor.open('/inbox');
  const run = page.getByRole('listitem').filter({ hasText: 'customer of order 61' }).first();
  const refund = run.getByRole('listitem', { name: 'refund' });
  const mail = run.getByRole('listitem', { name: 'send_mail' });
  expect(await refund.getByRole('button').allTextContents()).toEqual(['Approve', 'Edit…', 'Reject…']);
  expect(await mail.getByRole('button').allTextContents()).toEqual(['Approve', 'Edit…', 'Reject…', 'Respond…']);
  // The words of the middleware repeat what the form shows.
  expect(await mail.getByText('Tool execution requires approval').count()).toBe(0);
  // The arguments are what the tool gets, character by character.
  await refund.getByText('It came [late](https://example.com).').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await refund.getByRole('button', { name: 'Edit…' }).click();
  await refund.getByLabel('amount').fill('five');
  await refund.getByText('This is no JSON.').waitFor();
  await refund.getByLabel('amount').fill('5');
  expect(await axeFindings(page)).toEqual([]);
  await refund.getByRole('button', { name: 'Approve as edited' }).click();
  await refund.getByText('Edited. 1 more to decide.').waitFor();
  await mail.getByRole('button', { name: 'Reject…' }).click();
  await mail.getByLabel('Why not, for the agent').fill('I write myself');
  await mail.getByRole('button', { name: 'Reject' }).click();
  await run.waitFor({ state: 'detached' });
  const { latest } = await vera.call('threads.show', { params: { name: 'cashier', thread: 'inbox-61' } });
  const args = { order: '61', amount: 5, reason: 'It came [late](https://example.com).' };
  expect(latest?.values['decisions']).toEqual([
    { type: 'edit', edited_action: { name: 'refund', args } },
    { type: 'reject', message: 'I write myself' },
  ]);
  expect(visitor.faults).toEqual([]);
  await visitor.close();
});
