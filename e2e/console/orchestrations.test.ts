// Orchestrations in the console: a deploy with its check, a run that lights up the graph, and the page of a run.
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, windowsOf } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const as = windowsOf(() => browser, stage);

/** A node of the graph, in this state. */
const node = (page: Page, member: string, state: string): Locator =>
  page.getByRole('figure').getByRole('link', { name: new RegExp(`^${member}.*${state}`) });

async function run(page: Page, input: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Input' }).fill(input);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

test('a person deploys an orchestration and runs it: the graph lights up, and the run has its page', async () => {
  const { page, open, faults } = await as('max');
  await open('/orchestrations?text=relay');
  await page.getByRole('link', { name: 'relay' }).click();
  await page.getByText('Every member can be called.').waitFor();
  await node(page, 'edit', 'serving').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Deploy 1.0.0' }).click();
  await page.getByText('orchestrations/relay@1.0.0 answers at /orchestrations/relay/invoke').waitFor();

  await page.getByRole('link', { name: 'Try it' }).first().click();
  await run(page, 'slow 2');
  await node(page, 'edit', 'running').waitFor();
  await node(page, 'tone', 'pending').waitFor();
  await node(page, 'edit', 'done').waitFor();
  await node(page, 'tone', 'done').waitFor();
  await page.getByRole('status').getByText('done').waitFor();

  await page.getByRole('link', { name: /^Run / }).click();
  await page.waitForURL('**/orchestrations/relay/history/*');
  await settle(page);
  await node(page, 'tone', 'done').waitFor();
  const calls = page.getByRole('table', { name: 'Calls' });
  await calls.getByText('editor 1.0.0').waitFor();
  await calls.getByRole('link', { name: 'edit' }).click();
  const panel = page.getByRole('region', { name: 'Call edit' });
  await panel.getByText('editor(slow 2)').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // The address of a run is no address of the service.
  await page.reload();
  await panel.getByText('editor(slow 2)').waitFor();
  expect(faults).toEqual([]);
});

test('a member that fails shows its reason, and the members behind it are not called', async () => {
  const { page, open, faults } = await as('max');
  await open('/orchestrations/report/try');
  await run(page, 'fail');
  await node(page, 'edit', 'failed').waitFor();
  await node(page, 'facts', 'not called').waitFor();
  await page
    .getByRole('alert')
    .getByText(/editor fails/)
    .waitFor();
  await open('/orchestrations/panel/history');
  await page.getByRole('table', { name: 'Runs' }).getByText('partial').first().waitFor();
  await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click();
  await page.waitForURL('**/orchestrations/panel/history/*');
  await node(page, 'edit', 'failed').waitFor();
  const panel = page.getByRole('region', { name: 'Call edit' });
  await panel
    .getByRole('alert')
    .getByText(/editor fails/)
    .waitFor();
  await panel.getByRole('link', { name: 'Its log' }).waitFor();
  expect(faults).toEqual([]);
});

test('a fallback that answers is shown as one', async () => {
  const { page, open, faults } = await as('max');
  await open('/orchestrations/helpdesk/try');
  await run(page, 'fail');
  await node(page, 'edit', 'fallback used').waitFor();
  await page.getByRole('table', { name: 'Calls' }).getByText('edit:fallback:tone', { exact: true }).first().waitFor();
  await node(page, 'facts', 'not called').waitFor();
  expect(faults).toEqual([]);
});

test('a cancelled run says so, at the call that it ended', async () => {
  const { page, open, faults } = await as('max');
  await open('/orchestrations/helpdesk/try');
  await run(page, 'slow 60');
  await node(page, 'edit', 'running').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await node(page, 'edit', 'cancelled').waitFor();
  await page.getByRole('status').getByText('cancelled').waitFor();
  expect(faults).toEqual([]);
});

test('a deploy that would be refused shows each fault with its command, and who may deploy', async () => {
  const { page, open, faults } = await as('vera');
  await open('/orchestrations/draft');
  await page.getByText('agents/waver is not deployed.').waitFor();
  await page.getByText('svc deploy agents/waver').waitFor();
  await page.getByRole('button', { name: 'Deploy 1.0.0', disabled: true }).hover();
  await page.getByText(/This needs the role deployer/).waitFor();
  expect(faults).toEqual([]);
});
