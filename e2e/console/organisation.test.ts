// Settings, models, webhooks and assets of the registry, changed in the console.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const { url, people } = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const visitor = async (as: Parameters<typeof visit>[2]): Promise<Visitor> =>
  await visit(browser, { gantry: { url }, people }, as);

test('an admin changes a setting, sees its audit number and undoes it; others see why they may not', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/organisation');
  const setting = page.getByRole('listitem').filter({ hasText: 'Traces without inputs' });
  await setting.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('combobox', { name: 'Traces without inputs' }).selectOption('yes');
  await page.getByRole('button', { name: 'Change from no' }).click();
  await setting.getByText('yes', { exact: true }).waitFor();
  await page.getByText(/audit governance\/\d+/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await setting.getByText('no', { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();

  const ada = await visitor('ada');
  await ada.open('/organisation');
  const change = ada.page.getByRole('button', { name: 'Change' }).first();
  await change.hover();
  await ada.page.getByText('platform admin').first().waitFor();
  expect(await change.isDisabled()).toBe(true);
  await ada.close();
});

test('a prompt is created with its fault at the field, gets a version, is published and deleted by its name', async () => {
  const { page, open, faults, close } = await visitor('ada');
  await open('/registry/prompt/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('console-tone');
  await page.getByRole('textbox', { name: 'template' }).fill('Be kind to {{whom}}.');
  await page.getByRole('textbox', { name: 'variables' }).fill('- name: who');
  await page.getByRole('button', { name: 'Create the prompt' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('textbox', { name: 'template' }).fill('Be kind to {{who}}.');
  await page.getByRole('button', { name: 'Create the prompt' }).click();
  await page.waitForURL('**/registry/prompt/console-tone');
  await page.getByRole('button', { name: 'New version' }).click();
  await page.getByRole('textbox', { name: 'template' }).fill('Be very kind to {{who}}.');
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByRole('heading', { name: 'Config 1.0.1' }).waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Publish' }).click();
  await page
    .locator('header')
    .getByText(/published$/)
    .waitFor();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('textbox', { name: 'Type console-tone to confirm' }).fill('console-tone');
  await page.getByRole('button', { name: 'Delete prompts/console-tone' }).click();
  await page.getByText('prompts/console-tone is deleted').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a label of a prompt is set, moved with its difference shown, and moved back', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/registry/prompt/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('console-label');
  await page.getByRole('textbox', { name: 'template' }).fill('Be brief.');
  await page.getByRole('button', { name: 'Create the prompt' }).click();
  await page.waitForURL('**/registry/prompt/console-label');
  await page.getByRole('button', { name: 'New label…' }).click();
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('production');
  await page.getByRole('button', { name: 'Set the label' }).click();
  const label = page.getByRole('listitem', { name: 'production' });
  await label.getByText('means 1.0.0').waitFor();
  await page.getByRole('button', { name: 'New version' }).click();
  await page.getByRole('textbox', { name: 'template' }).fill('Be very brief.');
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByRole('heading', { name: 'Config 1.0.1' }).waitFor();
  await label.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('cell', { name: 'Be very brief.' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Move it from 1.0.0 to 1.0.1' }).click();
  await label.getByText('means 1.0.1').waitFor();
  await label.getByRole('button', { name: 'Undo the last move' }).click();
  await label.getByText('means 1.0.0').waitFor();
  await page.getByText('production means 1.0.0 again').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('an orchestration is made of members that are chosen, and asks for nothing twice', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/registry/orchestration/new');
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await field('Name').fill('console-pair');
  expect(await field('name').count()).toBe(0);
  for (const [at, name, agent] of [
    [1, 'edit', 'agents/editor'],
    [2, 'tone', 'agents/greeter'],
  ] as const) {
    if (at > 1) await page.getByRole('button', { name: 'Add a member' }).click();
    await field(`Name of member ${at}`).fill(name);
    await page.getByLabel(`Agent of member ${at}`).selectOption(agent);
  }
  await field('version').fill('1.0.0');
  await page.getByLabel('strategy', { exact: true }).selectOption('sequential');
  await page.getByRole('button', { name: 'Create the orchestration' }).click();
  await page.waitForURL('**/registry/orchestration/console-pair');
  await page.getByText('agents/editor').first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a model is tested in one line, and a webhook shows its secret once', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/models/gpt-4o-mini');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page
    .getByRole('status')
    .getByText(/It answered in \d+ ms/)
    .waitFor();
  await open('/webhooks');
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('console-siem');
  await page.getByRole('textbox', { name: 'Address' }).fill('https://siem.example.com/in');
  await page.getByRole('textbox', { name: 'Events' }).fill('webhook.deleted');
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  await page.getByText('it is not shown again').waitFor();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('link', { name: 'console-siem' }).click();
  await page.getByRole('heading', { name: 'console-siem', exact: true }).waitFor();
  expect(await page.getByText('whsec_').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('the health page shows the doctor and the checklist, each line with its verdict', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/doctor');
  await page.getByRole('listitem').filter({ hasText: 'clocks of server' }).getByText('ok').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'approval for admins' }).getByText('not met').waitFor();
  expect(faults).toEqual([]);
  await close();
});
