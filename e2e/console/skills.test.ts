// A skill in the registry: whoever may read it reads what agents will follow, and a push alone changes it.
import type { Browser } from 'playwright-core';
import { createClient } from '@gantry/contract/client/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { skillOf } from '../../server/src/testing/pushes/project-archive.ts';
import { axeFindings } from './axe.ts';
import { openBrowser, visit } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(async () => await browser?.close());

test('a reader of a skill reads its files, and nothing there edits it', async () => {
  const guest = createClient({ base_url: stage.url });
  const { access_token } = await guest.call('auth.login', { body: stage.people.admin });
  const admin = createClient({ base_url: stage.url, token: () => access_token });
  const text = 'Say the name first. <img src=x onerror="document.title = 1">\n';
  const body = skillOf({ name: 'sk-courtesy', text, files: { 'scripts/greet.py': 'print("hello")\n' } });
  await admin.call('skills.push', { params: { name: 'sk-courtesy' }, query: { team: 'ml' }, body });
  const { page, open, faults, close } = await visit(browser, { gantry: stage, people: stage.people }, 'vera');
  await open('/registry/skill/sk-courtesy');
  await page.getByText('Say the name first. <img src=x').waitFor();
  await page.getByRole('button', { name: 'scripts/greet.py' }).click();
  await page.getByText('print("hello")').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.getByRole('button', { name: 'New version' }).count()).toBe(0);
  await open('/registry/skill/new');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  expect(faults).toEqual([]);
  await close();
});
