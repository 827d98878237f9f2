// A person who has never seen a terminal decides about requests.
import { readFile } from 'node:fs/promises';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectOf, type TestProject } from '../../server/src/testing/pushes/project-archive.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';
import type { Person } from './stage.ts';

const { url, people } = await sharedStage();
const live_ms = 2000;
let browser: Browser;
let ada: Client;
let admin: Client;
let max: Visitor;
let author: Visitor;

beforeAll(async () => {
  browser = await openBrowser();
  [ada, admin, max, author] = await Promise.all([clientOf('ada'), clientOf('admin'), visitor('max'), visitor('ada')]);
});
afterAll(async () => await browser?.close());

async function visitor(as?: Person): Promise<Visitor> {
  return await visit(browser, { gantry: { url }, people }, as);
}

async function clientOf(person: Person): Promise<Client> {
  const anonymous = createClient({ base_url: url, token: () => undefined });
  const { access_token } = await anonymous.call('auth.login', { body: people[person] });
  return createClient({ base_url: url, token: () => access_token });
}

/** The id of ada's request for a new agent. It has the packages of the stage's agents, so none is resolved. */
async function requestAgent(project: TestProject & { name: string }, message = ''): Promise<string> {
  const packages = await readFile('examples/langgraph-greeter/requirements.txt', 'utf8');
  const body = projectOf({ ...project, files: { 'requirements.txt': packages, ...project.files } });
  const { id } = await ada.call('agents.push', { params: { name: project.name }, body });
  const events = await Array.fromAsync(await ada.call('pushes.events', { params: { id } }));
  expect(events.at(-1)?.data.state).toBe('done');
  return await submit(`agents/${project.name}`, message);
}

/** The id of ada's request for a new prompt, which needs no build. */
async function requestPrompt(name: string, message = '', template = 'Answer in one word.'): Promise<string> {
  const body = { name, team: 'ml', config: { template } };
  await ada.call('registry.create', { params: { kind: 'prompt' }, body });
  return await submit(`prompts/${name}`, message);
}

async function submit(asset: string, message: string): Promise<string> {
  return (await ada.call('approvals.submit', { body: { asset, message } })).id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

test('a request for a cluster shows each object of the deploy, without a value of a secret, and what the approval covers', async () => {
  const config = {
    kind: 'kubernetes',
    address: 'https://127.0.0.1:1',
    ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    namespace: 'agents',
    registry: 'https://registry.invalid/agents',
    service_url: 'https://door.example.com',
  } as unknown as Record<string, never>; // any JSON, as from a client
  const target = { name: 'rv-cluster', team: 'ml', visibility: 'org', config } as const;
  await admin.call('registry.create', { params: { kind: 'target' }, body: target });
  const id = await requestAgent({
    name: 'rv-cluster-agent',
    yaml: 'deploy: {cloud: rv-cluster, secrets: [CRM_TOKEN]}\n',
  });
  const { page, open, faults } = max;
  await open(`/approvals/${id}`);
  await page.getByRole('heading', { name: 'On rv-cluster' }).waitFor();
  await page.getByText('1000m of processors').waitFor();
  await page.getByText(/^apply Secret/).click();
  await page.getByText('"CRM_TOKEN": "<CRM_TOKEN>"').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await admin.call('approvals.reject', { params: { id }, body: { reason: 'a try' } });
});

test('a reviewer comes from the link of the mail, sees what the agent may newly reach and every line, and approves', async () => {
  const id = await requestAgent({ name: 'rv-link', yaml: 'deploy: {secrets: [CRM_TOKEN]}\n' }, 'a first helper');
  const { page, faults, close } = await visitor();
  await page.goto(`/approvals/${id}`);
  await page.waitForURL('**/sign-in?next=*');
  await page.getByLabel('E-mail').fill(people.max.email);
  await page.getByLabel('Password').fill(people.max.password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/approvals/${id}`);
  await settle(page);
  await page.getByRole('heading', { name: 'agents/rv-link 1.0.0' }).waitFor();
  await page.getByText('a first helper').waitFor();
  const reach = page.getByRole('listitem').filter({ hasText: 'CRM_TOKEN' });
  expect(await reach.innerText()).toContain('It reads this secret');
  await page.getByText('from langgraph.graph import StateGraph').waitFor();
  await button(page, 'Approve…').click();
  await page.getByLabel('Reason (optional)').fill('reads one secret');
  await page.keyboard.press('Enter');
  await page.getByText('agents/rv-link 1.0.0 is approved for target local').waitFor();
  // The next request is open.
  await page.waitForURL((at) => at.pathname.startsWith('/approvals/') && !at.pathname.endsWith(id));
  const decided = await ada.call('approvals.show', { params: { id } });
  expect(decided).toMatchObject({ status: 'approved', decided_by: people.max.email, reason: 'reads one secret' });
  expect(faults).toEqual([]);
  await close();
});

test('a rejection needs a reason, and its author reads it on home', async () => {
  const id = await requestPrompt('rv-rejected');
  await max.open(`/approvals/${id}`);
  await max.page.keyboard.press('r');
  const reject = button(max.page, 'Reject prompts/rv-rejected 1.0.0');
  await reject.click();
  expect((await ada.call('approvals.show', { params: { id } })).status).toBe('pending');
  await max.page.getByLabel('Reason').fill('one word is too few');
  await reject.click();
  await max.page.getByText('prompts/rv-rejected 1.0.0 is rejected').waitFor();
  await author.open('/');
  const line = author.page.getByRole('listitem').filter({ hasText: 'rv-rejected' });
  expect(await line.innerText()).toContain('one word is too few');
});

test('a request that needs two approvals says who is missing, and the second admin completes it', async () => {
  const id = await requestAgent({ name: 'rv-two', yaml: 'access: {approvals_required: 2}\n' });
  const { page, open } = max;
  await open(`/approvals/${id}`);
  await page.getByText('Needs 2 approvals.').waitFor();
  await button(page, 'Approve…').click();
  await page.getByText('This is 1 of 2 approvals.').waitFor();
  await button(page, 'Approve agents/rv-two 1.0.0').click();
  await page.getByText('You approve agents/rv-two 1.0.0: 1 of 2').waitFor();
  await open(`/approvals/${id}`);
  await page.getByText(`Needs 2 approvals, has 1 (${people.max.email}). ${people.admin.email} can decide.`).waitFor();
  expect(await button(page, 'Approve…').getAttribute('aria-disabled')).toBe('true');

  const second = await visitor('admin');
  await second.open(`/approvals/${id}`);
  await second.page.getByText(`Needs 2 approvals, has 1 (${people.max.email}). You can decide.`).waitFor();
  await button(second.page, 'Approve…').click();
  await button(second.page, 'Approve agents/rv-two 1.0.0').click();
  await second.page.getByText('agents/rv-two 1.0.0 is approved for target local').waitFor();
  // It shows on the first approver's open page too.
  const outcome = page.getByRole('status').filter({ hasText: 'approved' });
  for (const { email } of [people.max, people.admin]) await outcome.getByText(email).first().waitFor();
  expect((await ada.call('approvals.show', { params: { id } })).status).toBe('approved');
  expect(second.faults).toEqual([]);
  await second.close();
});

test('j and k go through the requests that wait, a approves, and typed again decides nothing that nobody has read', async () => {
  const id = await requestPrompt('rv-keys');
  const { page, open } = max;
  await open(`/approvals/${id}`);
  await page.getByText(/\d+ of \d+ waiting for you/).waitFor();
  await page.keyboard.press('j');
  await page.waitForURL((at) => !at.pathname.endsWith(id));
  await settle(page);
  await page.keyboard.press('k');
  await page.waitForURL(`**/approvals/${id}`);
  await settle(page);
  await page.keyboard.press('a');
  await page.getByLabel('Reason (optional)').press('Enter');
  await page.getByText('prompts/rv-keys 1.0.0 is approved').waitFor();
  await page.waitForURL((at) => !at.pathname.endsWith(id));
  await settle(page);
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.getByText(/This is the next request, .* Read it/).waitFor();
  expect(await page.getByRole('dialog', { name: /^Approve/ }).count()).toBe(0);
  expect((await ada.call('approvals.show', { params: { id } })).status).toBe('approved');
});

test('a decision elsewhere shows within two seconds in the queue, its badge and an open dialog', async () => {
  const id = await requestPrompt('rv-live');
  const { page, open } = max;
  const other = await visitor('max');
  await other.open('/approvals');
  await open(`/approvals/${id}`);
  const row = other.page.getByRole('link', { name: 'prompts/rv-live 1.0.0' });
  await row.waitFor();
  const badge = other.page.getByRole('link', { name: /^Approvals/ });
  const waits = async () => Number(/\d+/.exec(await badge.innerText())?.[0] ?? 0);
  const before = await waits();
  await page.keyboard.press('a');
  await page.getByLabel('Reason (optional)').waitFor();
  await admin.call('approvals.reject', { params: { id }, body: { reason: 'I was first' } });
  await Promise.all([
    row.waitFor({ state: 'detached', timeout: live_ms }),
    page.getByRole('dialog').getByText('I was first').waitFor({ timeout: live_ms }),
  ]);
  await expect.poll(waits, { timeout: live_ms, interval: 50 }).toBeLessThan(before);
  await page.keyboard.press('Escape');
  expect(await button(page, 'Approve…').count()).toBe(0);
  expect(other.faults).toEqual([]);
  await other.close();
});

test('an author cannot decide, reads why and who can, and withdraws', async () => {
  const id = await requestPrompt('rv-own');
  const { page, open, faults } = author;
  await open(`/approvals/${id}`);
  expect(await button(page, 'Approve…').getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('a');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByText('max@example.com can decide').waitFor();
  await page.getByText('This needs the role admin in team:ml; yours is contributor.').first().waitFor();
  await button(page, 'Withdraw').click();
  await page.getByText('withdrawn by ada@example.com').waitFor();
  expect(faults).toEqual([]);
});

describe('the lines of a file:', () => {
  const template = '<img src=x onerror=alert(1)><script>alert(2)</script>';
  const bidi = '\u202Etxt.exe\u202C';
  const long = 'x'.repeat(600);
  let id: string;

  beforeAll(async () => {
    id = await requestAgent(
      {
        name: 'rv-hostile',
        yaml: `description: ${JSON.stringify(`${template} ${bidi}`)}\ndeploy: {env_vars: {NOTE: ${JSON.stringify(template)}}}\n`,
        files: { '<svg onload=alert(3)>.py': `note = "${template}"  # ${bidi}\n`, [`${'y'.repeat(90)}.txt`]: long },
      },
      `${template} ${bidi} ${long} [link](javascript:alert(4)) \`svc login\``,
    );
  });

  test('a comment on a line stands beside it on the pages of others within two seconds', async () => {
    await Promise.all([max.open(`/approvals/${id}`), author.open(`/approvals/${id}`)]);
    const line = max.page
      .locator('details:has(summary:has-text("agent.py")) .cm-lineNumbers')
      .getByText('3', { exact: true });
    await line.click();
    await max.page.getByLabel('Comment on line 3').fill(`why this? ${template}`);
    await max.page.getByRole('button', { name: 'Comment', exact: true }).first().click();
    const beside = author.page.locator('.cm-content article', { hasText: 'why this?' });
    await beside.waitFor({ timeout: live_ms });
    await author.page.getByText('agent.py:3').waitFor();
    expect(author.faults).toEqual([]);
  });

  test('hostile texts stay text on every part of the review, and characters that turn text are marked', async () => {
    const { page, open, faults } = max;
    await ada.call('approvals.comment', { params: { id }, body: { message: `${template} ${bidi} ${long}` } });
    for (const part of ['files', 'config', 'dependencies', 'inventory', 'earlier']) {
      await open(`/approvals/${id}?part=${part}`);
      if (part === 'files') await page.locator('.cm-specialChar').first().waitFor();
      expect(
        await page.evaluate<number>(
          `document.querySelectorAll('main :is(img:not(.cm-widgetBuffer), script, svg[onload])').length`,
        ),
      ).toBe(0);
      expect(await page.evaluate<boolean>(`document.documentElement.scrollWidth <= innerWidth`)).toBe(true);
    }
    for (const path of ['/', '/approvals', '/approvals?status=pending', '/notifications']) {
      await open(path);
      await page.getByText('rv-hostile').first().waitFor();
    }
    expect(faults).toEqual([]);
  });

  test('axe finds nothing on the queue, the review, its dialog, the notifications and home', async () => {
    const { page, open, faults } = max;
    for (const path of [
      '/',
      '/approvals',
      '/approvals?status=decided',
      '/notifications',
      `/approvals/${id}?part=config`,
    ]) {
      await open(path);
      expect([path, await axeFindings(page)]).toEqual([path, []]);
    }
    await open(`/approvals/${id}`);
    await page.locator('.cm-content').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('r');
    await page.getByRole('dialog').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });
});
