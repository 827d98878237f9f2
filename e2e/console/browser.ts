// A real browser for the tests of the console. Each person has a context of their own. A page that breaks the content security policy,
// opens a dialog or throws fails its test.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import type { ConsoleStage, Person } from './stage.ts';

export interface Screen {
  theme?: 'light' | 'dark';
  /** Otherwise 1280 × 800. */
  isPhone?: boolean;
}

export interface Visitor {
  page: Page;
  /** Opens an address of the console, and waits until it is shown whole. */
  open: (path: string) => Promise<void>;
  /** What must not happen on any page: reports of the policy, dialogs, errors. */
  faults: string[];
  close: () => Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  // Chromium refuses its own sandbox to root, who runs the tests in a container.
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

/** A person's window, signed in unless `as` is absent. */
export async function visit(
  browser: Browser,
  { gantry, people }: Pick<ConsoleStage, 'people'> & { gantry: { url: string } },
  as?: Person,
  { theme = 'light', isPhone = false }: Screen = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: gantry.url,
    colorScheme: theme,
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const faults: string[] = [];
  await watch(context, faults);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  if (as !== undefined) await signIn(page, people[as]);
  return {
    page,
    open: async (path) => {
      await page.goto(path);
      await settle(page);
    },
    faults,
    close: async () => await context.close(),
  };
}

/** One window for each person, because a sign-in takes a second. */
export function windowsOf(
  browser: () => Browser,
  stage: Pick<ConsoleStage, 'people'> & { url: string },
): (person: Person) => Promise<Visitor> {
  const visitors = new Map<Person, Promise<Visitor>>();
  return async (person) => {
    const known = visitors.get(person) ?? visit(browser(), { gantry: stage, people: stage.people }, person);
    visitors.set(person, known);
    return await known;
  };
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/sign-in');
}

/** Waits until no part of the page is a skeleton. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

async function watch(context: BrowserContext, faults: string[]): Promise<void> {
  await context.exposeFunction('toldFault', (fault: string) => faults.push(fault));
  await context.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) =>
      toldFault(['policy', violatedDirective, blockedURI, sourceFile].join(' ')))`,
  });
  context.on('page', (page) => {
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  });
}
