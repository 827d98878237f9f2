// The React hook of langgraph's SDK for JavaScript, on a page of another site, in a real browser.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from './console/browser.ts';
import { install, type OwnInstallation } from './installation.ts';
import { servePage } from './pages/serve-page.ts';
import { writeProject } from './write-project.ts';

let gantry: OwnInstallation;
let browser: Browser;
let site: Awaited<ReturnType<typeof servePage>>;
let token: string;
beforeAll(async () => {
  gantry = await install();
  [browser, site] = await Promise.all([openBrowser(), servePage('use-stream')]);
  await gantry.must('svc team create ml');
  await gantry.person('cal');
  await gantry.must('svc team add ml user:cal@example.com --role viewer');
  const chatter = await readFile(join(import.meta.dirname, 'agents/chatter.py'), 'utf8');
  await writeProject(gantry, 'chatter', { 'agent.py': chatter });
  await gantry.must('svc deploy', { in: 'chatter' });
  token = await gantry.token('cal');
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await gantry?.stop();
});

test('a page with useStream on another site holds a conversation in a browser, once its site is named', async () => {
  const page = await browser.newPage();
  const address = `${site.origin}/#${String(new URLSearchParams({ url: `${gantry.url}/agents/chatter/langgraph`, token }))}`;
  await page.goto(address);
  const say = async (text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Say' }).click();
  };
  const said = async () => await page.getByRole('listitem').allTextContents();
  await say('hello');
  // The browser lets no answer through to a site that is not named.
  await expect.poll(async () => await page.locator('output').textContent()).toContain('Failed to fetch');
  await gantry.must(`svc org set browser_origins '["${site.origin}"]'`);
  await page.reload();
  await say('hello');
  await expect.poll(said).toEqual(['human: hello', 'ai: you said hello']);
  await say('ask me');
  await expect.poll(async () => await page.locator('p').textContent()).toBe('{"question":"sure?"}');
  await page.getByRole('button', { name: 'Yes' }).click();
  await expect.poll(said).toEqual(['human: hello', 'ai: you said hello', 'human: ask me', 'ai: you said yes']);
  expect(await page.locator('output').textContent()).toBe('');
}, 180_000);
