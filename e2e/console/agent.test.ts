// The pages of one agent.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit, windowsOf } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const as = windowsOf(() => browser, stage);

test('the overview has the state, the last day with its deploys, the runs, what the agent may reach and who may call it', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/clock');
  await page.getByText(/serving$/).waitFor();
  await page.getByRole('img', { name: /^Calls over the last 24 hours: \d+$/ }).waitFor();
  await page
    .getByText(/^1\.0\.0 was deployed at /)
    .first()
    .waitFor({ state: 'attached' });
  await page.getByRole('table', { name: 'Recent runs' }).getByRole('row').nth(1).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'gpt-4o-mini' }).waitFor();
  await page.getByText('It reaches no address outside but the model gateway.').waitFor();
  await page.getByText('team:ml', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('a grant says what is now true, and its undo takes it back', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/waver/access');
  await page.getByRole('button', { name: 'Grant…' }).click();
  await page.getByLabel('Who').fill('team:support');
  await page.getByRole('button', { name: 'Grant to team:support' }).click();
  await page.getByText('team:support may use agents/waver').waitFor();
  const entry = page.getByRole('table', { name: 'Entries' }).getByText('team:support');
  await entry.waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await entry.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('the access of a person is explained: the reason, the entries that apply, and what would change it', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/greeter/access?action=deploy');
  await page.getByLabel('Person').fill(stage.people.vera.email);
  await page.keyboard.press('Enter');
  await page.waitForURL(/principal=/);
  await page.getByText('This needs the role deployer in team:ml; yours is viewer.').waitFor();
  await page.getByText('the whole organisation: read').waitFor();
  await page.getByText(`svc team add ml user:${stage.people.vera.email} --role deployer`).waitFor();
  expect(faults).toEqual([]);
});

test('what a reader may not do is greyed with its reason', async () => {
  const { page, open, faults } = await as('vera');
  await open('/agents/greeter');
  await page.getByRole('button', { name: 'More about greeter' }).click();
  const deploy = page.getByRole('menuitem', { name: /^Deploy 1\.1\.0/ });
  expect(await deploy.getAttribute('aria-disabled')).toBe('true');
  expect(await deploy.textContent()).toMatch(/This needs the role deployer/);
  const remove = page.getByRole('menuitem', { name: /^Delete/ });
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  expect(await remove.textContent()).toMatch(/This needs/);
  expect(faults).toEqual([]);
});

test('the value of a secret goes in and is on no page; a secret is removed by its name', async () => {
  const { page, open, faults } = await as('ada');
  const value = 'a value that nobody reads again';
  await open('/agents/waver/secrets');
  await page.getByRole('button', { name: 'Set a secret…' }).click();
  await page.getByLabel('Name').fill('WAVER_TOKEN');
  await page.getByLabel('Value').fill(value);
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('table', { name: 'Secrets' }).getByText('WAVER_TOKEN').waitFor();
  expect(await page.content()).not.toContain(value);
  await page.getByRole('button', { name: 'Remove…' }).click();
  const remove = page.getByRole('button', { name: 'Remove WAVER_TOKEN' });
  expect(await remove.isDisabled()).toBe(true);
  await page.getByLabel('Type WAVER_TOKEN to confirm').fill('WAVER_TOKEN');
  await remove.click();
  await page.getByText('It has no secrets.').waitFor();
  expect(faults).toEqual([]);
});

test('a new limit is shown as a bar, and its undo takes it back; the chart has the cost of a day', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/clock/cost');
  await page.locator('.recharts-bar-rectangle path').first().waitFor();
  await page.getByRole('button', { name: 'Set limits' }).click();
  await page.getByLabel('A month').fill('50');
  await page.getByRole('button', { name: 'Set the limits' }).click();
  await page.getByText('of $50.00', { exact: true }).waitFor();
  await page.getByRole('meter', { name: 'Spent: agents/clock, this month' }).waitFor();
  await page.getByText('$50.00 per month of agents/clock').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('of $50.00', { exact: true }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('the list of agents says how many its filters leave, with the command that lists them', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents?text=greet&state=serving');
  await page.getByRole('status').getByText('1 agent', { exact: true }).waitFor();
  await page.getByText('svc list --state serving --text greet').waitFor();
  await page.getByLabel('Any state').selectOption('stopped');
  await page.getByRole('status').getByText('0 agents', { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test('a draft of agent.yaml is there again after another page', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/clock/config');
  const text = page.getByRole('textbox', { name: 'agent.yaml' });
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('# mine');
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await page.getByRole('link', { name: 'Config', exact: true }).click();
  await page.getByText('A draft, kept while this tab is open.').waitFor();
  expect(await text.innerText()).toContain('# mine');
  await page.getByRole('button', { name: 'Take back' }).click();
  expect(await text.innerText()).not.toContain('# mine');
  expect(faults).toEqual([]);
});

test('on a phone the active tab is in view, and no row of a difference is wider than the page', async () => {
  const { page, open, faults, close } = await visit(browser, { gantry: stage, people: stage.people }, 'max', {
    isPhone: true,
  });
  await open('/agents/greeter/cost');
  const active = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: 'Cost' });
  const { x = -1, width = 0 } = (await active.boundingBox()) ?? {};
  expect([x >= 0, x + width <= 390]).toEqual([true, true]);
  await open('/agents/greeter/difference?from=1.0.0&to=1.1.0');
  const changed = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'version' }) });
  await changed.getByRole('cell').nth(1).getByText('1.1.0').waitFor();
  const right = (await changed.boundingBox().then((box) => box && box.x + box.width)) ?? Infinity;
  expect(right).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
  await close();
});

test('the pages of an agent are accessible in both themes', async () => {
  const { page, open, faults } = await as('max');
  await open('/agents/clock');
  for (const tab of ['Overview', 'Access', 'Secrets', 'Cost']) {
    const link = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name: tab });
    await link.click();
    await link.and(page.locator('[aria-current=page]')).waitFor();
    await settle(page);
    expect(await axeFindings(page), tab).toEqual([]);
  }
  expect(faults).toEqual([]);
});
