// From a dropped zip to an answering endpoint, without a terminal: an author, an admin of the team and a deployer, each in a browser of
// their own.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, settle, visit } from './browser.ts';
import { dropZip, projectFiles } from './drop-project.ts';
import { sharedStage } from './shared-stage.ts';

const { url, people } = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

test('an author drops a zip, an admin approves it, a deployer deploys it, and it answers', async () => {
  const stage = { gantry: { url }, people };
  const [ada, max, dora] = await Promise.all([
    visit(browser, stage, 'ada'),
    visit(browser, stage, 'max'),
    visit(browser, stage, 'dora'),
  ]);

  await ada.open('/new-agent');
  await dropZip(ada.page, await projectFiles('handed'));
  await ada.page.getByRole('button', { name: 'Push handed 1.0.0' }).click();
  await ada.page.getByText('agents/handed@1.0.0 is in the registry').waitFor();

  await max.open('/approvals');
  await ada.page.getByRole('button', { name: 'Submit for approval' }).click();
  await max.page.getByRole('link', { name: 'agents/handed 1.0.0' }).click();
  await max.page.getByRole('heading', { name: 'agents/handed 1.0.0' }).waitFor();
  await settle(max.page);
  await max.page.keyboard.press('a');
  await max.page.getByRole('button', { name: /^Approve agents\/handed/ }).click();
  await max.page.getByText('agents/handed 1.0.0 is approved').waitFor();

  await dora.open('/agents/handed');
  await dora.page.getByRole('button', { name: 'Deploy 1.0.0' }).click();
  await dora.page.waitForURL('**/deployments/*');
  await dora.page.getByRole('heading', { name: 'handed 1.0.0' }).waitFor();
  await dora.page.getByRole('link', { name: 'Talk to it' }).click();
  await dora.page.waitForURL('**/talk/handed');
  await dora.page.getByLabel('Message').fill('I am Dora');
  await dora.page.keyboard.press('Enter');
  await dora.page.getByText('Hello Dora, nice to meet you!', { exact: true }).waitFor();

  for (const { faults, close } of [ada, max, dora]) {
    expect(faults).toEqual([]);
    await close();
  }
});
