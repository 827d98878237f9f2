// A knowledge base in the console: an admin refreshes it, and each reader searches with their own rights and follows a citation.
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;
let admin: Client;

const leave =
  '# Leave\n\nEverybody has 30 days of leave.\n\n## Sickness\n\nA doctor’s note is needed after three days.';

beforeAll(async () => {
  browser = await openBrowser();
  const guest = createClient({ base_url: stage.url });
  const { access_token } = await guest.call('auth.login', { body: stage.people.admin });
  admin = createClient({ base_url: stage.url, token: () => access_token });
  await admin.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: {
      name: 'kb-handbook',
      team: 'ml',
      visibility: 'team',
      config: {
        documents: [
          { title: 'leave', text: leave },
          { title: 'salaries', text: 'The director has 40 days of leave.', readers: ['user:max@example.com'] },
        ],
        language: 'en',
        uploads: true,
        questions: [{ question: 'Who needs a note of a doctor?', expects: ['leave'] }],
      },
    },
  });
});
afterAll(async () => await browser?.close());

const visitor = async (as: Parameters<typeof visit>[2]) =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

test('an admin refreshes a base from its page, and a citation leads to the marked passage', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/registry/knowledge-base/kb-handbook');
  await page.getByRole('link', { name: 'Search and snapshots' }).click();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('Snapshot 1 serves').waitFor();
  await page.getByRole('table', { name: 'Snapshots' }).getByText('2 added, 0 changed, 0 gone').waitFor();
  await page.getByLabel('A question, or words').fill('doctor’s note');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('link', { name: 'leave › Leave › Sickness' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('link', { name: 'leave › Leave › Sickness' }).click();
  expect(await page.locator('mark').textContent()).toContain('A doctor’s note is needed after three days.');
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('an admin sends files, sees why one was not sent, and the next refresh reads the others', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/knowledge/kb-handbook');
  const files = [
    { name: 'travel.md', mimeType: 'text/markdown', buffer: Buffer.from('# Travel\n\nTrains are first class.') },
    { name: 'too\\odd.md', mimeType: 'text/markdown', buffer: Buffer.from('no') },
    { name: '.hidden.md', mimeType: 'text/markdown', buffer: Buffer.from('no') },
  ];
  await page.getByLabel('Files', { exact: true }).setInputFiles(files);
  await page.getByText('1 file sent, 0 unchanged, 1 not sent').waitFor();
  await page.getByLabel('Files', { exact: true }).setInputFiles(files.slice(0, 1));
  await page.getByText('0 files sent, 1 unchanged').waitFor();
  const list = page.getByRole('table', { name: 'Uploaded files' });
  await list.getByText('travel.md').waitFor();
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('Snapshot 2 serves').waitFor();
  await page.getByLabel('A question, or words').fill('trains');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByText('Trains are first class.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByText('paid by team ml for the vectors of its documents').waitFor();
  await list.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('Nobody has sent a file yet.').waitFor();
  await page.getByRole('table', { name: 'Documents' }).getByText('travel.md').first().click();
  await page.getByRole('button', { name: 'Erase…' }).click();
  await page.getByLabel('Type travel.md to confirm').fill('travel.md');
  await page.getByRole('button', { name: 'Erase it' }).click();
  const receipt = page.getByRole('dialog', { name: 'travel.md is erased' });
  await receipt.getByText('Snapshots').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await receipt.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('table', { name: 'Documents' }).getByText('leave').first().waitFor();
  expect(await page.getByRole('table', { name: 'Documents' }).getByText('travel.md').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('who may change a base sees why something is found and what rights take out, and asks its questions', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/knowledge/kb-handbook');
  await page.getByLabel('A question, or words').fill('days of leave');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByLabel('Why, for whom').fill('user:vera@example.com');
  await page.getByRole('button', { name: 'Show why' }).click();
  await page.getByRole('table', { name: 'Taken out by rights' }).getByText('salaries').waitFor();
  expect(await page.getByRole('table', { name: 'Found for user:vera@example.com' }).getByText('salaries').count()).toBe(
    0,
  );
  await page.getByRole('button', { name: 'Ask the questions' }).click();
  await page.getByText('Each question finds what it expects').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a reader finds and lists only what they may read, and cannot move what serves', async () => {
  const { page, open, faults, close } = await visitor('vera');
  await open('/knowledge/kb-handbook');
  await page.getByLabel('A question, or words').fill('days of leave');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByText('Everybody has 30 days of leave.').waitFor();
  await page.getByRole('table', { name: 'Documents' }).getByText('leave').first().waitFor();
  expect(await page.getByText('director').count()).toBe(0);
  expect(await page.getByText('salaries').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Refresh' }).getAttribute('aria-disabled')).toBe('true');
  expect(faults).toEqual([]);
  await close();
});
