// A deploy and what it leaves: steps, logs, versions and traces.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveOf } from '../../server/src/testing/pushes/project-archive.ts';
import { ended } from '../api.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;
let admin: Client;

beforeAll(async () => {
  browser = await openBrowser();
  const guest = createClient({ base_url: stage.url });
  const { access_token } = await guest.call('auth.login', { body: stage.people.admin });
  admin = createClient({ base_url: stage.url, token: () => access_token });
});
afterAll(async () => await browser?.close());

const visitor = async (as: Parameters<typeof visit>[2]) =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

/** Pushes the greeter under another name, with this code at its end. */
async function push(name: string, code: string): Promise<void> {
  const read = async (path: string) => ({
    path,
    content: await readFile(join(import.meta.dirname, '../../examples/langgraph-greeter', path), 'utf8'),
  });
  const [agent, yaml, requirements] = await Promise.all(['agent.py', 'agent.yaml', 'requirements.txt'].map(read));
  const entries = [
    { path: 'agent.py', content: `${agent?.content}\n${code}\n` },
    {
      path: 'agent.yaml',
      content: `${yaml?.content}`.replace(/^name:.*$/m, `name: ${name}`).replace(/^team:.*$/m, 'team: ml'),
    },
    { path: 'requirements.txt', content: requirements?.content ?? '' },
  ];
  const { id } = await admin.call('agents.push', { params: { name }, query: {}, body: archiveOf(entries) });
  for await (const { data } of await admin.call('pushes.events', { params: { id } })) if (data.kind === 'end') break;
}

test('a deploy begins at a version, is watched live, and a cancel undoes its steps', async () => {
  await push('sleeper', 'import time\ntime.sleep(100)');
  const { page, open, faults, close } = await visitor('admin');
  await open('/agents/sleeper/revisions');
  await page.getByRole('button', { name: 'What one can do with' }).click();
  await page.getByRole('menuitem', { name: /^Deploy [\d.]+ ?svc/ }).click();
  await page.waitForURL('**/deployments/*');
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.getByText('◐start').waitFor();
  await steps.getByRole('button', { name: /build/ }).click();
  await page.getByRole('log', { name: 'Output of build' }).getByText('image: sha256:').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel the deploy' }).click();
  await steps.getByText('■provision').waitFor();
  await page.getByRole('button', { name: 'Deploy again' }).waitFor();
  expect((await ended(admin, 'sleeper')).state).toBe('cancelled');
  expect(faults).toEqual([]);
  await close();
});

const hostile = '<img src=x onerror=alert(1)>';

test('a failed deploy shows its remedy and its last lines first, and its log shows hostile text as text', async () => {
  const lines = [
    'import sys, json',
    'for n in range(40): print("line", n, file=sys.stderr)',
    `print("\\x1b[31mred\\x1b[0m ${hostile}", file=sys.stderr)`,
    'print(json.dumps({"level": "warning", "message": "slow", "run_id": "0199-a-run-of-its-own", "nested": {"a": 1}}), file=sys.stderr)',
    `raise RuntimeError("${hostile}")`,
  ];
  await push('thrower', lines.join('\n'));
  const { id } = await admin.call('deployments.create', { body: { ref: 'agents/thrower@1.0.0' } });
  const { page, open, faults, close } = await visitor('admin');
  await open(`/deployments/${id}`);
  await page.getByRole('alert').getByText(`RuntimeError: ${hostile}`).waitFor();
  await page.getByLabel('The last lines').getByText(`red ${hostile}`).waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await open('/agents/thrower/logs');
  const log = page.getByRole('log', { name: 'Output of thrower' });
  await log.getByText('red', { exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Any level').selectOption('warning');
  await log.getByText('red', { exact: true }).waitFor({ state: 'detached' });
  await log.getByText('slow').waitFor();
  await log.getByTitle('Only this call').click();
  await page.waitForURL('**request=0199-a-run-of-its-own*');
  await log.getByRole('button', { name: 'The whole line' }).click();
  await log.getByText('nested', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('two versions are compared word by word, and the config has the findings of svc validate', async () => {
  const { page, open, faults, close } = await visitor('ada');
  await open('/agents/greeter/difference?from=1.0.0&to=1.1.0');
  await page.getByRole('listitem').filter({ hasText: 'CRM_TOKEN' }).first().waitFor();
  const changed = page.getByRole('region', { name: 'agent.py' });
  await changed.scrollIntoViewIfNeeded();
  await changed.locator('.cm-merge-b .cm-changedText', { hasText: 'again' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);

  await open('/agents/greeter/config?version=1.0.0');
  const editor = page.getByRole('textbox', { name: 'agent.yaml' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('framwork: x\n');
  await page.getByRole('list', { name: 'Findings' }).getByText('framwork').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a trace is a waterfall with its guardrails, and hides its content from those who may not see it', async () => {
  const { items } = await admin.call('traces.list', { query: { agent: 'desk', status: 'ok' } });
  const trace = items.find(({ name }) => name.startsWith('invoke'));
  const { page, open, faults, close } = await visitor('max');
  await open('/agents/desk/traces?status=ok');
  await page.locator(`a[href="/traces/${trace?.trace_id}"]`).click();
  await page.waitForURL(`**/traces/${trace?.trace_id}`);
  await settle(page);
  await page.getByRole('row').filter({ hasText: 'redacted' }).waitFor();
  await page.getByRole('heading', { name: 'Output' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await close();
  const reader = await visitor('vera');
  await reader.open(`/traces/${trace?.trace_id}`);
  await reader.page.getByText('for the caller of the run and for admins').waitFor();
  expect([...faults, ...reader.faults]).toEqual([]);
  await reader.close();
});
