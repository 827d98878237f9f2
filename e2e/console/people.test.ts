// Teams, users, service principals, keys, costs and budgets.
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, signIn, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';
import type { Person } from './stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const visitor = async (as?: Person): Promise<Visitor> =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

/** The value in the box that is shown once. Closes the box. */
async function readOnce({ page }: Visitor): Promise<string> {
  const box = page.getByRole('dialog').filter({ hasText: 'It is shown once' });
  await box.getByRole('button', { name: 'Copy the value' }).click();
  const value = String(await page.evaluate('navigator.clipboard.readText()'));
  await box.getByRole('button', { name: 'I have copied it' }).click();
  await box.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(value);
  return value;
}

test('a user is invited with a one-time password that is shown once, gets a role in a new team, and signs in', async () => {
  const admin = await visitor('admin');
  const { page, open, faults, close } = admin;
  await open('/users');
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Show a one-time password').check();
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const password = await readOnce(admin);
  await page.getByRole('link', { name: 'grace@example.com' }).waitFor();

  await open('/teams');
  await page.getByRole('button', { name: 'New team' }).click();
  await page.getByLabel('Name').fill('compilers');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/teams/compilers');
  await page.getByRole('button', { name: 'Add a member' }).click();
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Role').selectOption('deployer');
  await page.getByRole('button', { name: 'Add to the team' }).click();
  await page.getByRole('cell', { name: 'deployer' }).waitFor();
  await page.getByRole('button', { name: 'Change grace@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Make viewer' }).click();
  await page.getByRole('cell', { name: 'viewer' }).waitFor();
  expect(faults).toEqual([]);
  await close();

  const grace = await visitor();
  await signIn(grace.page, { email: 'grace@example.com', password });
  expect(new URL(grace.page.url()).pathname).toBe('/change-password');
  await grace.close();
});

test('the key of a service principal is shown once and signs it in; a member removed by mistake is back after undo', async () => {
  const max = await visitor('max');
  const { page, open, faults, close } = max;
  await open('/service-principals');
  await page.getByRole('button', { name: 'New service principal' }).click();
  await page.getByLabel('Name').fill('people-ci');
  await page.getByLabel('Allowed assets').fill('agents/*');
  await page.getByRole('button', { name: 'Create, and show its key' }).click();
  const key = await readOnce(max);
  await page.waitForURL('**/service-principals/*');
  await page.getByText('never used').waitFor();
  const answered = await fetch(`${stage.url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
  });
  expect(answered.status).toBe(200);

  const budget = page.getByRole('region', { name: 'Budget' });
  await budget.getByRole('button', { name: 'Set limits' }).click();
  await page.getByRole('dialog', { name: 'Limits of people-ci' }).getByLabel('A day').fill('3');
  await page.getByRole('button', { name: 'Set the limits' }).click();
  await budget.getByText('of $3.00').waitFor();

  await open('/teams/ml');
  await page.getByRole('button', { name: 'Change vera@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Remove from the team' }).click();
  await page.getByRole('button', { name: 'Remove from the team' }).click();
  await page.getByRole('cell', { name: 'vera@example.com', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('cell', { name: 'vera@example.com', exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a reader sees the actions that they may not take, with the reason', async () => {
  const { page, open, faults, close } = await visitor('vera');
  await open('/teams/ml');
  const add = page.getByRole('button', { name: 'Add a member' });
  expect(await add.getAttribute('aria-disabled')).toBe('true');
  await add.hover();
  await page.getByText('This needs the role admin in team:ml; yours is viewer.').waitFor();
  await open('/users');
  await page.getByText('needs the platform role admin').first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a gateway key is made with its limits, rotated and revoked; each value is shown once', async () => {
  const max = await visitor('max');
  const { page, open, faults, close } = max;
  await open('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('people-notebook');
  await page.getByLabel('Models').fill('gpt-4o*');
  await page.getByLabel('A day').fill('2.50');
  await page.getByRole('button', { name: 'Create, and show its value' }).click();
  const first = await readOnce(max);
  await page.waitForURL('**/keys/*');
  await page.getByText('$2.50 a day').waitFor();
  await page.getByRole('button', { name: 'Rotate' }).click();
  await page.getByRole('button', { name: 'Replace the key' }).click();
  const second = await readOnce(max);
  expect(second).not.toBe(first);
  await page.getByText(second.slice(0, 12), { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.waitForURL('**/keys');
  await open('/keys?all=yes');
  const row = page.getByRole('row').filter({ hasText: second.slice(0, 12) });
  await row.getByText('revoked').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('costs are split as the address says, and the file has the rows of the page', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/costs?by=model&since=7d');
  await page.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).split('\n');
  expect(lines[0]).toBe('model,usd,calls,input tokens,output tokens,estimated,estimated usd');
  expect(lines[1]).toMatch(/^gpt-4o-mini,0\.\d+,\d+,/);
  await page.getByRole('link', { name: 'gpt-4o-mini' }).click();
  await page.waitForURL('**/costs?by=model&since=7d&model=gpt-4o-mini');
  expect(faults).toEqual([]);
  await close();
});

test('a budget is set with the rate that it will meet, and undone', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/budgets');
  const budget = page.getByRole('region', { name: 'Team support' });
  await budget.getByRole('button', { name: 'Set limits' }).click();
  await page.getByLabel('A month').fill('80');
  await page.getByRole('button', { name: 'Set the limits' }).click();
  await budget.getByText('of $80.00').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await budget.getByText('of $80.00').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('the defaults of new keys and the limits of one member are set on the page of the team, and undone', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/teams/ml');
  await page.getByRole('button', { name: 'Change ada@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Budget' }).click();
  await page.waitForURL('**/teams/ml/budget?of=ada%40example.com');

  const ada = page.getByRole('region', { name: 'ada@example.com' });
  await ada.getByRole('button', { name: 'Set limits' }).click();
  await page.getByLabel('A week').fill('12');
  await page.getByRole('button', { name: 'Set the limits' }).click();
  await ada.getByText('of $12.00').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await ada.getByText('of $12.00').waitFor({ state: 'detached' });

  const defaults = page.getByRole('region', { name: 'Keys of new members' });
  await defaults.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Models').fill('not a pattern!');
  await page.getByRole('button', { name: 'Change the defaults' }).click();
  await page.getByText('must be a pattern over names of models').first().waitFor();
  await page.getByLabel('Models').fill('gpt-4o*');
  await page.getByLabel('A day').fill('2.50');
  await page.getByLabel('Days until they expire').fill('90');
  await page.getByRole('button', { name: 'Change the defaults' }).click();
  await defaults.getByText('after 90 days').waitFor();
  await defaults.getByText('gpt-4o*').waitFor();
  await defaults.getByText('$2.50 a day').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await defaults.getByText('never').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a member sees their own limits and the defaults of new keys; the limits of the team are for its admins', async () => {
  const { page, open, faults, close } = await visitor('vera');
  await open('/teams/ml/budget');
  await page.getByRole('region', { name: 'vera@example.com' }).getByText('no limit').first().waitFor();
  await page.getByRole('region', { name: 'Keys of new members' }).getByText('Models').waitFor();
  await page
    .getByRole('region', { name: 'The team' })
    .getByText('This needs the role admin in team:ml or the right read_costs; yours is viewer.')
    .waitFor();
  expect(await page.getByRole('button', { name: 'Change' }).getAttribute('aria-disabled')).toBe('true');
  expect(faults).toEqual([]);
  await close();
});

test('a look around asks nothing that its reader may not see, so the log has no refusal of it', async () => {
  const { page, open, faults, close } = await visitor('vera');
  const refused: string[] = [];
  page.on('response', (response) => void (response.status() === 403 && refused.push(response.url())));
  for (const [path, text] of [
    ['/users', 'needs the platform role admin'],
    ['/webhooks', 'needs the platform role admin'],
    ['/doctor', 'needs the platform role admin'],
    ['/teams/ml/budget', 'or the right read_costs'],
    ['/budgets', 'Other budgets exist that you may not see'],
    ['/costs', 'svc grant read-costs --to user:vera@example.com --org'],
    ['/agents/clock/cost', 'svc grant read-costs --to user:vera@example.com --team'],
  ] as const) {
    await open(path);
    await page.getByText(text).first().waitFor();
  }
  const closed = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('button', { name: 'Cost' });
  expect(await closed.getAttribute('aria-disabled')).toBe('true');
  expect([refused, faults]).toEqual([[], []]);
  await close();
});

test('an admin lets somebody read the costs of a team, who then sees them, and takes it back', async () => {
  const max = await visitor('max');
  await max.open('/teams/ml');
  await max.page.getByRole('button', { name: 'Let somebody read' }).click();
  await max.page.getByLabel('Who').fill('vera@example.com');
  await max.page.getByRole('button', { name: 'Give the grant' }).click();
  const row = max.page.getByRole('row').filter({ hasText: 'user:vera@example.com' });
  await row.getByText('costs and budgets').waitFor();
  const vera = await visitor('vera');
  await vera.open('/teams/ml/budget');
  await vera.page.getByRole('region', { name: 'The team' }).getByText('this month').waitFor();
  await row.getByRole('button', { name: 'Take back' }).click();
  await row.waitFor({ state: 'detached' });
  expect([max.faults, vera.faults]).toEqual([[], []]);
  await Promise.all([max.close(), vera.close()]);
});
