// From a dropped project to a pushed version. All faults are found in the browser, before anything is sent.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, visit, type Visitor } from './browser.ts';
import { dropZip, projectFiles } from './drop-project.ts';
import { sharedStage } from './shared-stage.ts';
import type { Zipped } from './zip.ts';

const { url, people } = await sharedStage();
const example = join(import.meta.dirname, '../../examples/langgraph-greeter');
let browser: Browser;
let directory: string;

beforeAll(async () => {
  browser = await openBrowser();
  directory = await mkdtemp(join(tmpdir(), 'gantry-console-'));
});
afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
});

const newAgent = async (): Promise<Visitor & { sent: string[] }> => {
  const visitor = await visit(browser, { gantry: { url }, people }, 'ada');
  const sent: string[] = [];
  visitor.page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await visitor.open('/new-agent');
  sent.length = 0;
  return { ...visitor, sent };
};

const within = (entries: readonly Zipped[]) => entries.map((entry) => ({ ...entry, path: `project/${entry.path}` }));

test('a dropped zip is checked and pushed, and its pusher is led to submit it; what a project never holds is left out', async () => {
  const { page, faults, sent, close } = await newAgent();
  await dropZip(page, [
    ...within(await projectFiles('zipped')),
    { path: 'project/.env', content: 'TOKEN=secret' },
    { path: 'project/__pycache__/agent.pyc', content: 'x' },
    { path: '__MACOSX/._agent.py', content: 'x' },
  ]);
  await page.getByRole('heading', { name: 'zipped 1.0.0' }).waitFor();
  for (const path of ['.env', '__pycache__', '__MACOSX'])
    await page.getByRole('listitem').filter({ hasText: path }).waitFor();
  expect(sent).toEqual([]);
  await page.getByRole('button', { name: 'Push zipped 1.0.0' }).click();
  await page.getByText('agents/zipped@1.0.0 is in the registry').waitFor();
  await page.getByRole('button', { name: 'Submit for approval', disabled: false }).waitFor();
  await page.getByRole('button', { name: 'Deploy 1.0.0', disabled: true }).hover();
  await page.getByText('needs the role deployer').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a config that is edited on its page is pushed as the next version, with the other files unchanged', async () => {
  const { page, open, faults, close } = await newAgent();
  await open('/agents/zipped/config');
  const editor = page.getByRole('textbox', { name: 'agent.yaml' });
  await editor.getByText('description').click();
  await page.keyboard.press('End');
  await page.keyboard.type(', kindly');
  await page.getByRole('button', { name: 'New version…' }).click();
  await page.getByRole('button', { name: 'Push zipped 1.0.1' }).click();
  await page.getByText('agents/zipped@1.0.1 is in the registry').waitFor();
  await page.waitForURL('**/agents/zipped/revisions');
  await open('/agents/zipped/difference?from=1.0.0&to=1.0.1');
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.getByText(', kindly').first().waitFor();
  expect(await page.getByText('agent.py').count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

test('a chosen folder becomes the same version', async () => {
  const folder = join(directory, 'foldered');
  await cp(example, folder, { recursive: true });
  for (const { path, content } of await projectFiles('zipped')) await writeFile(join(folder, path), content);
  const { page, faults, close } = await newAgent();
  await page.getByLabel('A folder').setInputFiles(folder);
  await page.getByRole('button', { name: 'Push zipped 1.0.0' }).click();
  await page.getByText('already in the registry, with exactly this content').waitFor();
  expect(faults).toEqual([]);
  await close();
});

test('a faulty project names file, line and column, and is not sent', async () => {
  const { page, faults, sent, close } = await newAgent();
  const files = await projectFiles('faulty');
  await dropZip(page, [...files, { path: 'agent.yaml', content: 'name: faulty\nversion: 1.0\nteam: ml\n' }].slice(1));
  await page.getByText('agent.yaml:2:10 · wrong_type').waitFor();
  expect(await page.getByRole('button', { name: /^Push/ }).count()).toBe(0);
  expect([sent, faults]).toEqual([[], []]);
  await close();
});

test('a zip bomb, a lying size and a path out of the project are refused in the browser', async () => {
  const { page, faults, sent, close } = await newAgent();
  const files = await projectFiles('bomb');
  await dropZip(page, [...files, { path: 'data.bin', content: Buffer.alloc(20_000_000) }]);
  await page.getByRole('alert').getByText('times its size').waitFor();
  await dropZip(page, [...files, { path: 'data.bin', content: Buffer.alloc(900_000), stated_bytes: 10 }]);
  await page.getByRole('alert').getByText('more bytes than the zip says').waitFor();
  await dropZip(page, [...files, { path: '../evil.py', content: 'x' }]);
  await page.getByText(/\.\.\/evil\.py:1:1 · unsafe_path/).waitFor();
  expect(await page.getByRole('button', { name: /^Push/ }).count()).toBe(0);
  expect([sent, faults]).toEqual([[], []]);
  await close();
});
