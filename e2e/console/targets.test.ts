// Where agents run: an admin adds another machine, tries it, and removes it. Others see the list.
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
const authority = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
let browser: Browser;
let admin: Client;

beforeAll(async () => {
  browser = await openBrowser();
  const guest = createClient({ base_url: stage.url });
  const { access_token } = await guest.call('auth.login', { body: stage.people.admin });
  admin = createClient({ base_url: stage.url, token: () => access_token });
});
afterAll(async () => await browser?.close());

const visitor = async (as: Parameters<typeof visit>[2]) =>
  await visit(browser, { gantry: stage, people: stage.people }, as);

test('an admin adds the engine of another machine, sets its credential, reads what is missing, and removes it', async () => {
  const { page, open, faults, close } = await visitor('admin');
  await open('/targets');
  await page.getByRole('link', { name: 'local', exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Add a target' }).click();
  await page.getByLabel('Name', { exact: true }).fill('tg-box');
  await page.getByLabel('address', { exact: true }).fill('tcp://127.0.0.1:1');
  await page.getByLabel('ca', { exact: true }).fill(authority);
  await page.getByLabel('registry', { exact: true }).fill('https://registry.invalid/agents');
  await page.getByLabel('service_url', { exact: true }).fill('https://door.example.com');
  await page.getByRole('button', { name: 'Create the target' }).click();
  await page.waitForURL('**/targets/tg-box');
  await page.getByText('tcp://127.0.0.1:1').waitFor();
  const menu = async (action: RegExp) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('The target has no client certificate yet.').waitFor();
  await menu(/^Set its credential/);
  await page.getByLabel('Certificate').fill(authority);
  await page.getByLabel('Private key').fill('a key');
  await page.getByRole('button', { name: 'Set the credential' }).click();
  await page.getByText('targets/tg-box has a new credential').waitFor();
  await page.getByText(`set by ${stage.people.admin.email}`).waitFor();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/The container engine does not answer/).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const [agent] = (await admin.call('agents.statuses', { query: {} })).items.filter(
    ({ latest_version }) => latest_version !== null,
  );
  const { name, latest_version } = agent ?? { name: '', latest_version: '' };
  await open(`/agents/${name}/revisions`);
  await page.getByRole('button', { name: `What one can do with ${latest_version}` }).click();
  // Nothing limits outgoing connections there, so the service refuses it before it builds anything.
  await page.getByRole('menuitem', { name: `Deploy ${latest_version} to tg-box` }).click();
  await page.getByText('nothing limits them on this target').waitFor();
  await open('/targets/tg-box');
  await page.setViewportSize({ width: 390, height: 800 });
  await settle(page);
  await menu(/^Delete/);
  await page.getByLabel('Type tg-box to confirm').fill('tg-box');
  await page.getByRole('button', { name: 'Delete targets/tg-box' }).click();
  await page.getByText('targets/tg-box is deleted').waitFor();
  await expect(admin.call('targets.show', { params: { name: 'tg-box' } })).rejects.toMatchObject({ code: 'not_found' });
  expect(faults).toEqual([]);
  await close();
}, 90_000);

test('a viewer sees the targets, and no way to add one', async () => {
  const { page, open, faults, close } = await visitor('vera');
  await open('/targets');
  await page.getByRole('link', { name: 'local', exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a target' }).isEnabled()).toBe(false);
  expect(faults).toEqual([]);
  await close();
});
