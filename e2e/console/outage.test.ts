// An open page while the service is away, comes back with another console, or has ended its reader's session.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { install, type OwnInstallation } from '../installation.ts';
import { openBrowser, settle, visit, type Visitor } from './browser.ts';

let gantry: OwnInstallation;
let browser: Browser;
beforeAll(async () => {
  gantry = await install();
  await gantry.project('langgraph-greeter', 'greeter');
  await gantry.must('svc submit', { in: 'greeter' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gantry?.stop();
});

const someone = (email: string, password: string) => ({ email, password });
async function visitor(as: 'admin' | 'ada', password: string): Promise<Visitor> {
  const nobody = someone('', '');
  const admin = as === 'admin' ? someone('admin@gantry.local', password) : nobody;
  const ada = as === 'ada' ? someone('ada@example.com', password) : nobody;
  const people = { admin, ada, dora: nobody, max: nobody, vera: nobody, flagged: nobody };
  return await visit(browser, { gantry, people }, as);
}

/** Only what a click needs is loaded, as on a machine that is never idle. */
const neverIdle = async (page: Page) => await page.addInitScript({ content: 'window.requestIdleCallback = () => 0' });
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link', { name, exact: true });

test('a tab whose code was never loaded waits for a stopped service, and opens by itself', async () => {
  const { page, open, faults, close } = await visitor('admin', gantry.admin_password);
  await neverIdle(page);
  await open('/agents/greeter');
  await page.evaluate('window.isSamePage = true');
  await gantry.must('svc server stop');
  await tab(page, 'Logs').click();
  await page.getByRole('heading', { name: 'Waiting for the service' }).waitFor();
  await page.getByRole('navigation', { name: 'Places' }).waitFor();
  await gantry.must('svc server start');
  await page.getByText('greeter has written nothing yet').waitFor();
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

test('the code of pages is there before they are opened', async () => {
  const { page, open, close } = await visitor('admin', gantry.admin_password);
  await open('/');
  const isLoaded = async () =>
    await page.evaluate(
      `['/assets/logs-', '/assets/sign-in-again-', '/assets/merge-'].every((part) =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes(part)))`,
    );
  await expect.poll(isLoaded, { timeout: 20_000 }).toBe(true);
  await close();
});

test('a page of a replaced build ends in the new one', async () => {
  const { page, open, faults, close } = await visitor('admin', gantry.admin_password);
  await neverIdle(page);
  await open('/agents/greeter');
  // What another build would answer to this page, until the page is loaded again.
  let isOld = true;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false;
  });
  await page.route(
    '**/assets/traces-*.js',
    async (route) => await (isOld ? route.fulfill({ status: 404 }) : route.continue()),
  );
  await page.route(`${gantry.url}/`, async (route) => {
    const html = await (await route.fetch()).text();
    await route.fulfill({
      contentType: 'text/html',
      body: html.replace(/assets\/index-[\w-]+\.js/, 'assets/index-newer.js'),
    });
  });
  await page.evaluate('window.isSamePage = true');
  await Promise.all([page.waitForEvent('load'), tab(page, 'Traces').click()]);
  await settle(page);
  expect(await page.evaluate('window.isSamePage')).toBeUndefined();
  expect(new URL(page.url()).pathname).toBe('/agents/greeter/traces');
  await page.getByRole('heading', { name: 'greeter' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a stylesheet that failed is asked for again', async () => {
  const context = await browser.newContext({ baseURL: gantry.url });
  const page = await context.newPage();
  let asked = 0;
  await page.route(
    /assets\/(?!sign-in).*css$/,
    async (route) => await (asked++ < 2 ? route.abort() : route.continue()),
  );
  await page.goto('/sign-in');
  const hasRules = async () =>
    await page.evaluate(
      `[...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet?.cssRules.length > 0)`,
    );
  await expect.poll(hasRules, { timeout: 20_000 }).toBe(true);
  expect(asked).toBe(3);
  await context.close();
});

test('a page whose session was ended elsewhere asks for the sign-in, says why, and goes on', async () => {
  await gantry.person('ada');
  await gantry.must('svc team add default user:ada@example.com --role viewer');
  const { page, open, faults, close } = await visitor('ada', 'password of ada');
  await open('/agents/greeter/logs');
  await page.getByText('0 lines').waitFor();
  await gantry.must('svc user disable ada@example.com');
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.getByText('An admin disabled your account.').waitFor();
  await page.getByText('0 lines').waitFor({ state: 'detached' });
  expect(await page.getByText(/svc login|Waiting for the service/).count()).toBe(0);
  await gantry.must('svc user enable ada@example.com');
  await dialog.getByLabel('Password').fill('password of ada');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('0 lines').waitFor();
  expect(faults).toEqual([]);
  await close();
});
