// What stands around every page.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, signIn, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const vera = async () => await visit(browser, { gantry: stage, people: stage.people }, 'vera');

test('⌘K finds a place and a thing, and keys lead to the places', async () => {
  const { page, open, faults, close } = await vera();
  await open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('greet');
  await page.getByRole('option', { name: /^greeter/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents/greeter');
  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.waitForURL('**/audit');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('a list is walked by keys from the page and from its search, and ⌘K takes what is typed at once', async () => {
  const { page, open, faults, close } = await vera();
  const focused = async () => await page.evaluate('document.activeElement.textContent');
  await open('/agents');
  await page.keyboard.press('j');
  const first = await focused();
  await page.keyboard.press('ArrowDown');
  const second = await focused();
  await page.keyboard.press('k');
  expect(await focused()).toBe(first);
  expect(second).not.toBe(first);
  await page.keyboard.press('/');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toBe(first);
  await page.keyboard.press('/');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('greet');
  await page.getByRole('option', { name: /^greeter/ }).waitFor();
  expect(await page.getByRole('dialog').getByRole('combobox').inputValue()).toBe('greet');
  expect(faults).toEqual([]);
  await close();
});

test('⌘K does what the head of the page does, and greys what its reader may not, with the reason', async () => {
  const max = await visit(browser, { gantry: stage, people: stage.people }, 'max');
  const { page } = max;
  const command = async (words: string, option: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(words);
    await page.getByRole('option', { name: option }).waitFor();
    await page.keyboard.press('Enter');
  };
  await max.open('/approvals');
  await page.getByRole('link', { name: 'agents/waver' }).first().click();
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
  await command('appro', /^Approve…/);
  const reason = page.getByRole('dialog', { name: 'Approve agents/waver' }).getByLabel('Reason');
  await reason.waitFor();
  await page.keyboard.type('read');
  expect(await reason.inputValue()).toBe('read');
  await page.keyboard.press('Escape');
  await command('copy', /^Copy the svc line/);
  await page.getByText(/^svc review show \w+ --diff is copied$/).waitFor();
  await command('dark', /^Theme: dark/);
  await page.waitForFunction('document.documentElement.dataset.theme === "dark"');
  await command('new k', /^New key/);
  await page.getByRole('dialog', { name: 'New key' }).waitFor();
  expect(max.faults).toEqual([]);
  await max.close();

  const reader = await vera();
  await reader.open('/agents/greeter');
  await reader.page.keyboard.press('Control+k');
  await reader.page.getByRole('dialog').getByRole('combobox').fill('stop');
  const stop = reader.page.getByRole('option', { name: /^Stop/ });
  expect(await stop.getAttribute('aria-disabled')).toBe('true');
  await stop.getByText('This needs the role deployer in team:ml; yours is viewer.').waitFor();
  expect(reader.faults).toEqual([]);
  await reader.close();
});

test('⌘K is accessible in both themes', async () => {
  const { page, open, faults, close } = await vera();
  await open('/agents/greeter');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('greet');
  await page.getByRole('option', { name: /^greeter/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('combobox').fill('stop');
  await page.getByRole('option', { name: /^Stop/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

test('a lost connection is said, and mended by itself', async () => {
  const { page, open, faults, close } = await vera();
  await page.route('**/api/v1/events', async (route) => await route.abort());
  await open('/agents');
  await page.getByText('Waiting for the service since').waitFor();
  await page.unroute('**/api/v1/events');
  await page.getByText('Waiting for the service since').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('an ended session asks for the sign-in over the page, and the page goes on where it was', async () => {
  const { page, open, faults, close } = await vera();
  await open('/agents?text=gree');
  await page.evaluate(
    `fetch('/api/v1/auth/revoke', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })`,
  );
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await page.getByLabel('Any state').selectOption('serving');
  await dialog.waitFor();
  await dialog.getByLabel('E-mail').fill(stage.people.vera.email);
  await dialog.getByLabel('Password').fill(stage.people.vera.password);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'greeter' }).waitFor();
  expect(new URL(page.url()).search).toBe('?text=gree&state=serving');
  expect(faults).toEqual([]);
  await close();
});

test('the theme stays chosen', async () => {
  const { page, open, close } = await vera();
  await open('/');
  await page.getByRole('button', { name: 'vera' }).click();
  await page.getByRole('menuitem', { name: 'Theme: system' }).click();
  await page.reload();
  await settle(page);
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
  await close();
});

test('sign-out ends the session on the server', async () => {
  const { page, open, close } = await vera();
  await open('/');
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name.startsWith('gantry-'));
  await page.getByRole('button', { name: 'vera' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  const stolen = await fetch(`${stage.url}/api/v1/auth/me`, {
    headers: { cookie: `${cookie?.name}=${cookie?.value}`, 'sec-fetch-site': 'same-origin' },
  });
  expect(stolen.status).toBe(401);
  await signIn(page, stage.people.vera);
  await close();
});
