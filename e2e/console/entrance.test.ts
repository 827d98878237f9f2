// The pages before the console.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, signIn, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const { url, people } = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const visitor = async (as?: Parameters<typeof visit>[2]): Promise<Visitor> =>
  await visit(browser, { gantry: { url }, people }, as);

test('a visitor without a session signs in, and arrives at the page that they asked for', async () => {
  const { page, faults, close } = await visitor();
  await page.goto('/agents?state=serving');
  await page.waitForURL('**/sign-in?next=*');
  await page.getByLabel('E-mail').fill(people.vera.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('E-mail or password is wrong').waitFor();
  await page.getByLabel('Password').fill(people.vera.password);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/agents?state=serving');
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('the next page after the sign-in is never one of another service', async () => {
  const { page, close } = await visitor();
  for (const next of [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/.//evil.example/',
    '/x/..//evil.example/a',
  ]) {
    await page.context().clearCookies();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
    await page.getByLabel('E-mail').fill(people.vera.email);
    await page.getByLabel('Password').fill(people.vera.password);
    await page.keyboard.press('Enter');
    await page.waitForURL((at) => at.pathname !== '/sign-in');
    expect(new URL(page.url()).origin).toBe(url);
  }
  await close();
});

test('a flagged account changes its password first: every address leads there, and sign-out is the only exit', async () => {
  const { page, faults, close } = await visitor();
  await page.goto('/sign-in');
  await signIn(page, people.flagged);
  expect(new URL(page.url()).pathname).toBe('/change-password');
  for (const path of ['/', '/agents', '/approvals']) {
    await page.goto(path);
    await page.waitForURL('**/change-password');
  }
  await page.keyboard.press('Escape');
  expect(await page.getByRole('button').allTextContents()).toEqual(['Change password', 'Sign out']);
  expect(await page.getByRole('link').count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/sign-in');
  await signIn(page, people.flagged);
  await page.getByLabel('Current password').fill(people.flagged.password);
  await page.getByLabel('New password').fill('short');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').filter({ hasText: 'at least 8' }).waitFor();
  await page.getByLabel('New password').fill('a password of my own');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
