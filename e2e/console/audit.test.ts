// The audit log: sentences, one entry, following, and the verifier in the browser.
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';
import type { Person } from './stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const visitor = async (as: Person): Promise<Visitor> =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

test('an entry is a sentence, its filters are the address, and its page has the change', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/audit?asset=agents/greeter&action=approval.decided');
  await page.getByRole('link', { name: /^max@example\.com approved agents\/greeter 1\.0\.0 for local/ }).click();
  await page.waitForURL('**/audit/governance/*');
  await page.getByText('reads nothing, says hello', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'max@example.com' }).click();
  await page.waitForURL('**/audit?user=max*');
  await open('/audit?action=budget.changed');
  await page
    .getByRole('link', { name: /changed the budget of ml/ })
    .last()
    .click();
  const change = page.getByRole('row').filter({ hasText: 'monthly usd' });
  await change.waitFor();
  expect(await change.getByRole('cell').allTextContents()).toEqual(['monthly usd', 'nothing', '500']);
  expect(faults).toEqual([]);
  await close();
});

test('a followed log shows a refused sign-in when it happens', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/audit?action=login.failed');
  const following = page.waitForResponse('**/api/v1/audit/events?*');
  await page.getByRole('button', { name: 'Follow' }).click();
  await following;
  await fetch(`${stage.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'mallory@example.com', password: 'a guess' }),
  });
  await page.getByRole('row').filter({ hasText: 'could not sign in' }).first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an auditor verifies the log in the browser; a changed line is found, with its number', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/audit');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const log = await readFile(await (await downloading).path(), 'utf8');

  await page.getByRole('link', { name: 'Verify' }).click();
  await page.getByRole('button', { name: 'Verify the present log here' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('holds, not anchored').waitFor();
  expect(Number((await result.getByText('entries checked').textContent())?.split(' ')[0])).toBeGreaterThan(40);

  const changed = log.split('\n').map((line) => line.replace('says hello', 'says hullo'));
  const seq = (JSON.parse(changed.find((line) => line.includes('says hullo')) ?? '{}') as { seq: number }).seq;
  const file = { name: 'changed.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(changed.join('\n')) };
  await page.getByLabel('An export').setInputFiles(file);
  await page.getByRole('button', { name: 'Verify changed.ndjson here' }).click();
  await result.getByText('damaged').waitFor();
  await result.getByText(`Entry ${seq} was changed after it was written.`).waitFor();
  await result.getByRole('link', { name: `governance/${seq}` }).waitFor();

  // Without its last entry, the log no longer reaches what a copy from outside has signed.
  const lines = log.split('\n');
  const notes = lines.filter((line) => line.includes('"kind":"checkpoint"'));
  const without = (text: (line: string) => boolean) => Buffer.from(lines.filter((line) => !text(line)).join('\n'));
  await page.getByLabel('An export').setInputFiles({ ...file, name: 'whole.ndjson', buffer: Buffer.from(log) });
  await page
    .getByLabel('A copy from outside')
    .setInputFiles({ ...file, name: 'anchor', buffer: Buffer.from(notes.join('\n')) });
  await page.getByRole('button', { name: 'Verify whole.ndjson here' }).click();
  await result.getByText('true as anchored').waitFor();
  const last = notes.findLast((line) => line.includes('"chain":"governance"')) ?? '';
  const size = Number((JSON.parse(last) as { note: string }).note.split('\n')[1]);
  const isGone = (line: string) => line === last || line.includes(`"chain":"governance","seq":${size},`);
  await page.getByLabel('An export').setInputFiles({ ...file, name: 'short.ndjson', buffer: without(isGone) });
  await page.getByRole('button', { name: 'Verify short.ndjson here' }).click();
  await result.getByText('rollback').waitFor();

  // With an export and the key, it needs no role.
  const public_key = await page.getByLabel('Public key of the log').inputValue();
  const reader = await visitor('vera');
  await reader.open('/audit/verify');
  await reader.page.getByLabel('An export').setInputFiles({ ...file, name: 'whole.ndjson', buffer: Buffer.from(log) });
  await reader.page.getByLabel('Public key of the log').fill(public_key);
  await reader.page.getByRole('button', { name: 'Verify whole.ndjson here' }).click();
  await reader.page.getByText('holds, not anchored').waitFor();
  expect([...faults, ...reader.faults]).toEqual([]);
  await reader.close();
  await close();
});

test('the shield says when the log was verified, by whom and to which entry', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/audit/verify');
  await page.getByRole('button', { name: 'Verify on the service' }).click();
  await page.getByRole('heading', { name: 'On the service' }).waitFor();
  await open('/audit');
  await page.getByText(/up to governance\/\d+ and signin\/\d+, verified by admin@gantry\.local/).waitFor();
  expect(faults).toEqual([]);
  await close();
});
