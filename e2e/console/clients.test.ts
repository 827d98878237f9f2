// A program of others opens the browser of a person who is not signed in, and works with what they allow.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askMcp, begin, finish, programOfOthers, redirect_uri } from '../../server/src/testing/servers/oauth-client.ts';
import { openBrowser, settle, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const { url, people } = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

test('a person signs in, allows a program less than it asks for, and ends it', async () => {
  const { page, open, faults, close } = await visit(browser, { gantry: { url }, people });
  const kept = programOfOthers();
  const opened = await begin(kept, `${url}/mcp`);
  // The program listens on this machine.
  await page.route(`${redirect_uri}?*`, async (route) => await route.fulfill({ body: 'Return to the program.' }));
  await page.goto(opened.href);
  await page.waitForURL('**/sign-in?next=*');
  await page.getByLabel('E-mail').fill(people.ada.email);
  await page.getByLabel('Password').fill(people.ada.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: new URL(redirect_uri).host }).waitFor();
  await page.getByText('This name is not verified').waitFor();
  await page.getByLabel(/^change what you may change/).uncheck();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${redirect_uri}?*`);
  const back = new URL(page.url());
  expect([back.searchParams.get('iss'), back.searchParams.get('state')]).toEqual([url, 'state of the program']);

  const client = await finish(kept, `${url}/mcp`, back);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect([names.includes('list_agents'), names.includes('deploy')]).toEqual([true, false]);
  await client.callTool({ name: 'list_agents', arguments: {} });
  await client.close();

  await open('/connections');
  await settle(page);
  const program = page.getByRole('listitem', { name: 'Coder' });
  await program.getByText('It may read what you may read').waitFor();
  await program.getByRole('button', { name: 'Revoke' }).click();
  await program.waitFor({ state: 'detached' });
  expect((await askMcp(`${url}/mcp`, kept.tokens?.access_token)).status).toBe(401);
  expect(faults).toEqual([]);
  await close();
});
