// The way of a contributor in the browser: a project of another program, its agent.yaml by a form, the request, the decision, the deploy and
// a call. None of its people types a command.
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, settle, visit } from './browser.ts';
import { dropZip, foreignFiles, projectFiles } from './drop-project.ts';
import { sharedStage } from './shared-stage.ts';

const { url, people } = await sharedStage();
const stage = { gantry: { url }, people };
// The time of a deploy on a busy machine.
const deploy_ms = 90_000;
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

test('a contributor brings a foreign project to an answer, and each person sees the next step on the page', async () => {
  const [ada, max, dora] = await Promise.all([
    visit(browser, stage, 'ada'),
    visit(browser, stage, 'max'),
    visit(browser, stage, 'dora'),
  ]);

  await ada.open('/new-agent');
  await dropZip(
    ada.page,
    (await foreignFiles()).map((one) => ({ ...one, path: `Warm_Greeter-main/${one.path}` })),
  );
  const editor = ada.page.getByRole('textbox', { name: 'agent.yaml' });
  await editor.getByText('entrypoint: src/greeting/graph.py:graph').waitFor();
  expect(await ada.page.getByLabel('Name', { exact: true }).inputValue()).toBe('warm-greeter');
  await ada.page.getByLabel('Name', { exact: true }).fill('welcome');
  await ada.page.getByLabel('Team', { exact: true }).selectOption('ml');
  await ada.page.getByText('The service gives it OPENAI_API_KEY').waitFor();
  await ada.page.getByLabel('GREETING is').selectOption('a value');
  await ada.page.getByLabel('Value of GREETING').fill('Hello');
  await editor.getByText('GREETING: Hello').waitFor();
  expect(await editor.textContent()).toContain('api.greetings.dev:443');
  expect(await ada.page.content()).not.toContain('a-secret-value');
  const pushing = ada.page.waitForRequest((request) => request.url().includes('/agents/welcome/versions'));
  await ada.page.getByRole('button', { name: 'Push welcome 1.0.0' }).click();
  const archive = gunzipSync((await pushing).postDataBuffer() ?? '').toString();
  expect(archive).toContain('entrypoint: src/greeting/graph.py:graph');
  expect(archive).not.toContain('a-secret-value');
  await ada.page.getByText('agents/welcome@1.0.0 is in the registry').waitFor();

  await ada.open('/agents/welcome');
  await ada.page.getByText('1.0.0 is pushed. Its deploy needs an approval.').waitFor();
  await max.open('/');
  await ada.page.getByRole('button', { name: 'Request approval…' }).click();
  await ada.page.getByLabel('Message').fill('a warm greeting');
  await ada.page.getByRole('button', { name: 'Request approval', exact: true }).click();
  await ada.page.waitForURL('**/approvals/*');
  await ada.open('/agents/welcome');
  await ada.page.getByText(/You asked for the approval of 1\.0\.0\. .*max@example\.com.* can decide\./).waitFor();
  await ada.open('/');
  await ada.page.getByRole('region', { name: 'Your requests' }).getByText('agents/welcome 1.0.0').waitFor();
  await ada.open('/approvals');
  await ada.page.getByRole('table', { name: 'Requests' }).getByText('agents/welcome 1.0.0').waitFor();

  await max.page.getByRole('link', { name: 'agents/welcome 1.0.0' }).click();
  await max.page.getByRole('heading', { name: 'agents/welcome 1.0.0' }).waitFor();
  await settle(max.page);
  await dora.open('/');
  await max.page.keyboard.press('a');
  await max.page.getByRole('button', { name: /^Approve agents\/welcome/ }).click();
  await max.page.getByText('agents/welcome 1.0.0 is approved').waitFor();

  await ada.open('/agents/welcome');
  await ada.page
    .getByText('1.0.0 is approved by max@example.com. dora@example.com and max@example.com can deploy it.')
    .waitFor();
  await ada.page.getByRole('button', { name: 'Ask for the deploy' }).waitFor();
  await dora.page.getByRole('link', { name: 'agents/welcome 1.0.0' }).click();
  await dora.page.getByRole('button', { name: 'Deploy 1.0.0' }).click();
  await dora.page.waitForURL('**/deployments/*');

  await ada.page.getByText('It answers.', { exact: true }).waitFor({ timeout: deploy_ms });
  await ada.page.getByRole('link', { name: 'Talk to it' }).first().click();
  await ada.page.waitForURL('**/talk/welcome');
  await ada.page.getByLabel('Message').fill('I am Ada');
  await ada.page.keyboard.press('Enter');
  await ada.page.getByText('Hello Ada, nice to meet you!', { exact: true }).waitFor();

  for (const { faults, close } of [ada, max, dora]) {
    expect(faults).toEqual([]);
    await close();
  }
}, 180_000);

test('the faults of an agent.yaml are mended on the page, by a click, by a field and in the text, and the push takes it', async () => {
  const { page, open, faults, close } = await visit(browser, stage, 'ada');
  await open('/new-agent');
  const [, ...files] = await projectFiles('mended');
  await dropZip(page, [
    ...files,
    { path: 'agent.yaml', content: 'name: mended\nversion: 1.0.0\nframwork: langgraph\n' },
  ]);
  const findings = page.getByRole('list', { name: 'Findings' });
  await findings.getByText('agent.yaml:3:1 · unknown_field').waitFor();
  await findings.getByText('Did you mean framework?').waitFor();
  expect(await page.getByRole('button', { name: /^Push/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Apply to line 3' }).click();
  await page.getByLabel('Team', { exact: true }).selectOption('ml');
  const editor = page.getByRole('textbox', { name: 'agent.yaml' });
  await editor.getByText('team: ml').click();
  await page.keyboard.press('End');
  await page.keyboard.type('\ndescription: mended here');
  await page.getByRole('button', { name: 'Push mended 1.0.0' }).click();
  await page.getByText('agents/mended@1.0.0 is in the registry').waitFor();
  await open('/agents/mended/config');
  const stored = page.getByRole('textbox', { name: 'agent.yaml' });
  expect(await stored.locator('.cm-line').allTextContents()).toEqual([
    'name: mended',
    'version: 1.0.0',
    'team: ml',
    'description: mended here',
    'framework: langgraph',
    '',
  ]);
  expect(faults).toEqual([]);
  await close();
});
