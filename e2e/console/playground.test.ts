// The playground of a prompt in a browser: two texts run side by side, a draft becomes a version, and the text of production is beside it.
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, visit, type Screen } from './browser.ts';
import { sharedStage } from './shared-stage.ts';
import type { Person } from './stage.ts';

const stage = await sharedStage();
let browser: Browser;
let admin: Client;

beforeAll(async () => {
  browser = await openBrowser();
  const guest = createClient({ base_url: stage.url });
  const { access_token } = await guest.call('auth.login', { body: stage.people.admin });
  admin = createClient({ base_url: stage.url, token: () => access_token });
  const config = (template: string) => ({ template, variables: [{ name: 'city' }] });
  const params = { kind: 'prompt', name: 'capital' } as const;
  await admin.call('registry.create', {
    params: { kind: 'prompt' },
    body: { name: 'capital', team: 'ml', visibility: 'team', config: config('The capital of {{city}}?') },
  });
  await admin.call('prompts.move_label', {
    params: { name: 'capital', label: 'production' },
    body: { version: '1.0.0' },
  });
  await admin.call('registry.edit', {
    params,
    body: { version: '1.1.0', config: config('Say the capital of {{city}}.') },
  });
});
afterAll(async () => await browser?.close());

const visitor = async (as: Person, screen?: Screen) =>
  await visit(browser, { gantry: stage, people: stage.people }, as, screen);
const side = (page: Page, name: 'A' | 'B') => page.getByRole('region', { name, exact: true });

test('two sides run with one press, and a draft is compared with production and saved as a version', async () => {
  const { page, open, faults, close } = await visitor('max');
  await open('/registry/prompt/capital');
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByLabel('city', { exact: true }).fill('France');
  await page.getByRole('button', { name: 'Save as example…' }).click();
  await page.getByLabel('Name').fill('france');
  await page.getByRole('button', { name: 'Save the example' }).click();
  await page.getByText('france is an example of capital').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  for (const name of ['A', 'B'] as const) {
    await side(page, name).getByText('The capital of France is Paris.').waitFor();
    // 20 tokens at $0.15 and 10 at $0.60 per million.
    await side(page, name).getByText('$0.000009').waitFor();
    await side(page, name).getByText('prompts/capital@1.1.0 on models/gpt-4o-mini').waitFor();
    await side(page, name).getByRole('link', { name: 'Trace' }).waitFor();
  }
  await page.getByRole('button', { name: 'Compare with production' }).click();
  await side(page, 'A').getByLabel('Prompt').fill('Name the capital of {{city}}, in one word.');
  await page.getByRole('heading', { name: 'From production to the draft of 1.1.0' }).waitFor();
  await page.locator('.cm-mergeView').waitFor();
  expect(await side(page, 'B').getByLabel('Prompt').inputValue()).toBe('The capital of {{city}}?');
  expect(await axeFindings(page)).toEqual([]);
  // Ctrl+Enter works in the text.
  await side(page, 'A').getByLabel('Prompt').press('Control+Enter');
  await side(page, 'A').getByText('Done').waitFor();
  await side(page, 'A').getByRole('button', { name: 'Save as version…' }).click();
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByText('capital@1.2.0 is saved. No agent that names a label reads it yet.').waitFor();
  const { config } = await admin.call('registry.show_version', {
    params: { kind: 'prompt', name: 'capital', version: '1.2.0' },
  });
  expect(config).toMatchObject({
    template: 'Name the capital of {{city}}, in one word.',
    variables: [{ name: 'city' }],
  });
  const [label] = await admin.call('prompts.labels', { params: { name: 'capital' } });
  expect(label).toMatchObject({ label: 'production', version: '1.0.0' });
  const examples = await admin.call('prompts.examples', { params: { name: 'capital' }, query: {} });
  expect(examples.items).toMatchObject([{ name: 'france', variables: { city: 'France' } }]);
  await side(page, 'A').getByRole('link', { name: 'Trace' }).click();
  await page.getByText('chat gpt-4o-mini').first().waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a refusal is at its side, and who may only read sees why nothing runs', async () => {
  const max = await visitor('max', { isPhone: true, theme: 'dark' });
  await max.open('/registry/prompt/capital/playground');
  await max.page.getByRole('button', { name: 'Run', exact: true }).click();
  await side(max.page, 'A').getByText('the variable `city` is missing').first().waitFor();
  expect(await axeFindings(max.page)).toEqual([]);
  const { faults } = max;
  await max.close();
  const vera = await visitor('vera');
  await vera.open('/registry/prompt/capital/playground');
  const run = vera.page.getByRole('button', { name: 'Run', exact: true });
  expect(await run.getAttribute('aria-disabled')).toBe('true');
  expect([...faults, ...vera.faults]).toEqual([]);
  await vera.close();
});
