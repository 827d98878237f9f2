// The page to talk to an agent, with real agents.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings } from './axe.ts';
import { openBrowser, settle, visit, windowsOf } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

const stage = await sharedStage();
let browser: Browser;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser?.close());

const as = windowsOf(() => browser, stage);

const said = (page: Page) => page.getByRole('article', { name: 'You' });
const answers = (page: Page) => page.getByRole('article', { name: 'Agent' });
const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const write = async (page: Page, label: string, text: string) => {
  await page.getByRole('textbox', { name: label, exact: true }).fill(text);
  await page.keyboard.press('Enter');
};
const ended = async (page: Page) => await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
const inThread = (agent: string) => (url: URL) => new RegExp(`^/talk/${agent}/.+`).test(url.pathname);

test('a conversation is shown as it is written with its tools and its trace, is kept, and goes on', async () => {
  const { page, open, faults } = await as('vera');
  await open('/talk/clock');
  await write(page, 'Message', 'What is the capital of France?');
  await page.waitForURL(inThread('clock'));
  await answers(page).getByText('The capital of France is Paris.', { exact: true }).waitFor();
  await answers(page).getByText('weather', { exact: true }).waitFor();
  expect(await answers(page).getByText('"city": "Paris"').isVisible()).toBe(false);
  await answers(page).getByText('weather', { exact: true }).click();
  await answers(page).getByText('"city": "Paris"').waitFor();
  await answers(page)
    .getByRole('link', { name: /^Trace / })
    .waitFor();
  await list(page).getByRole('link', { name: 'What is the capital of France?' }).first().waitFor();
  await page.reload();
  await settle(page);
  expect(await said(page).allInnerTexts()).toEqual([expect.stringContaining('What is the capital of France?')]);
  await write(page, 'Message', 'And of Spain?');
  await answers(page).nth(1).getByText('The capital of France is Paris.', { exact: true }).waitFor();
  await page.reload();
  await settle(page);
  expect(await said(page).count()).toBe(2);
  expect(await answers(page).count()).toBe(2);
  expect(faults).toEqual([]);
});

test('a message is said anew in another conversation, and one goes on from an answer; a deleted one is gone', async () => {
  const { page, open, faults } = await as('vera');
  await open('/talk/greeter');
  await write(page, 'Message', 'I am Ada');
  await answers(page).getByText('Hello Ada, nice to meet you!').waitFor();
  await ended(page);
  await write(page, 'Message', 'I am Bob');
  await answers(page).nth(1).getByText('Hello').waitFor();
  await ended(page);
  const first = page.url();
  await said(page).nth(1).hover();
  await said(page).nth(1).getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('The message, edited').fill('I am Cleo');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.waitForURL((url) => inThread('greeter')(url) && url.href !== first);
  await said(page).nth(1).getByText('I am Cleo').waitFor();
  await ended(page);
  await page.reload();
  await settle(page);
  expect((await said(page).allInnerTexts()).map((text) => text.trim())).toEqual([
    expect.stringContaining('I am Ada'),
    expect.stringContaining('I am Cleo'),
  ]);
  const edited = page.url();
  await answers(page).first().hover();
  await answers(page).first().getByRole('button', { name: 'Go on from here in a new conversation' }).click();
  await page.waitForURL((url) => inThread('greeter')(url) && url.href !== edited);
  await settle(page);
  await said(page).getByText('I am Ada').waitFor();
  expect(await said(page).count()).toBe(1);
  await page.getByRole('button', { name: 'More about greeter' }).click();
  await page.getByRole('menuitem', { name: 'Delete the conversation…' }).click();
  await page.getByRole('button', { name: 'Delete the conversation' }).click();
  await page.waitForURL('**/talk/greeter');
  await open(new URL(first).pathname);
  await said(page).getByText('I am Bob').waitFor();
  expect(faults).toEqual([]);
});

test('a question of an agent is a form, and its answer is in the conversation', async () => {
  const { page, open, faults } = await as('vera');
  await open('/talk/refunds');
  await page.getByLabel('order').fill('31');
  await page.getByLabel('amount').fill('90');
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page.getByText('Refund 90 for order 31?', { exact: true }).waitFor();
  await list(page).getByText('asks you').first().waitFor();
  await ended(page);
  expect(await answers(page).count()).toBe(0);
  await write(page, 'Your answer', 'yes');
  await answers(page).getByText('Order 31: refunded 90.').first().waitFor();
  await page.getByText('Refund 90 for order 31?', { exact: true }).waitFor({ state: 'detached' });
  await page.reload();
  await settle(page);
  await answers(page).getByText('Order 31: refunded 90.').first().waitFor();
  expect(faults).toEqual([]);
});

test('a run is stopped, and one whose page is closed keeps its answer', async () => {
  const { page, open, faults } = await as('max');
  await open('/talk/editor');
  await write(page, 'text', 'slow 60');
  await page.waitForURL(inThread('editor'));
  await page.getByText('Working: work').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await ended(page);
  await open('/talk/editor');
  await write(page, 'text', 'slow 2 then tea');
  await page.waitForURL(inThread('editor'));
  const left = new URL(page.url()).pathname;
  await open('/');
  await open(left);
  await answers(page).getByText('editor(slow 2 then tea)').first().waitFor();
  expect(faults).toEqual([]);
});

test('an answer gets a thumb and a reason, and its trace has both', async () => {
  const { page, open, faults } = await as('max');
  await open('/talk/clock/france');
  await answers(page).last().hover();
  await answers(page).last().getByRole('button', { name: 'Bad answer' }).click();
  await page.getByLabel('Why, if you like').fill('It is Lyon');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await page.getByText('Thank you.').waitFor();
  await open('/talk/clock');
  await write(page, 'Message', 'And of Italy?');
  await page.waitForURL(inThread('clock'));
  await ended(page);
  await answers(page).hover();
  const sent = page.waitForResponse((response) => response.url().endsWith('/feedback'));
  await answers(page).getByRole('button', { name: 'Good answer' }).click();
  expect((await sent).status()).toBe(204);
  await answers(page)
    .getByRole('link', { name: /^Trace / })
    .click();
  await page.waitForURL('**/traces/*');
  // Spans are stored a moment after the call.
  const isShown = async () => {
    await page.reload();
    await page.locator('h1').waitFor();
    return await page
      .getByText('good answer')
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      );
  };
  await expect.poll(isShown).toBe(true);
  expect(faults).toEqual([]);
});

test('a thumb and its reason are shown again, and are taken back', async () => {
  const { page, open, faults } = await as('max');
  await open('/talk/greeter');
  await write(page, 'Message', 'I am Max');
  await page.waitForURL(inThread('greeter'));
  await ended(page);
  const good = answers(page).getByRole('button', { name: 'Good answer' });
  await answers(page).hover();
  const kept = page.waitForResponse((response) => response.url().endsWith('/feedback'));
  await good.click();
  await kept;
  await page.getByLabel('Why, if you like').fill('It knows my name');
  await page.getByRole('button', { name: 'Send', exact: true }).first().click();
  await page.getByText('Thank you.').waitFor();
  await page.reload();
  await settle(page);
  await answers(page).hover();
  await page.getByText('“It knows my name”').waitFor();
  expect(await good.getAttribute('aria-pressed')).toBe('true');
  await good.click();
  await page.getByText('“It knows my name”').waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
});

test('a conversation is shared with a person who reads it and cannot write, and is taken back', async () => {
  const { page, open, faults } = await as('vera');
  await open('/talk/greeter');
  await write(page, 'Message', 'I am Vera, for Max to read');
  await page.waitForURL(inThread('greeter'));
  await ended(page);
  await page.getByRole('button', { name: 'More about greeter' }).click();
  await page.getByRole('menuitem', { name: /^Share the conversation/ }).click();
  await page.getByLabel('With', { exact: true }).fill(stage.people.max.email);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  const readers = page.getByRole('region', { name: 'Who may read it' });
  await readers.getByText(`user:${stage.people.max.email}`).waitFor();
  const max = await as('max');
  await max.open('/talk/greeter');
  const shared = max.page.getByRole('region', { name: 'Shared with you' });
  await shared.getByRole('link', { name: stage.people.vera.email }).first().click();
  await said(max.page).getByText('I am Vera, for Max to read').waitFor();
  await answers(max.page).getByText('Hello').waitFor();
  await max.page.getByText('You cannot write here').waitFor();
  expect(await max.page.getByRole('textbox').count()).toBe(0);
  expect(await axeFindings(max.page)).toEqual([]);
  await readers.getByRole('button', { name: `Take back the share with user:${stage.people.max.email}` }).click();
  await readers.getByText('Only you.').waitFor();
  await max.page.reload();
  await max.page.getByRole('alert').waitFor();
  expect(await said(max.page).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a conversation is shared and taken back with the keys alone, on a phone in the dark', async () => {
  const { page, open, faults, close } = await visit(browser, { gantry: stage, people: stage.people }, 'vera', {
    theme: 'dark',
    isPhone: true,
  });
  await open('/talk/greeter');
  await write(page, 'Message', 'I am Vera, on a phone');
  await page.waitForURL(inThread('greeter'));
  await ended(page);
  const focused = async (name: RegExp) =>
    await page
      .evaluate(`document.activeElement?.ariaLabel ?? document.activeElement?.textContent ?? ''`)
      .then((text) => name.test(String(text)));
  const tabTo = async (name: RegExp) => {
    for (let n = 0; n < 40 && !(await focused(name)); n++) await page.keyboard.press('Tab');
    expect(await focused(name)).toBe(true);
  };
  await tabTo(/^More about greeter/);
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  for (let n = 0; n < 20 && !(await focused(/^Share the conversation/)); n++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // The first field has the focus.
  const dialog = page.getByRole('dialog', { name: 'Share the conversation' });
  await dialog.waitFor();
  await page.keyboard.type('nobody@example.com');
  await page.keyboard.press('Enter');
  await dialog.getByRole('alert').getByText('is nobody who may use agents/greeter').first().waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(stage.people.max.email);
  await page.keyboard.press('Enter');
  await dialog.getByText(`user:${stage.people.max.email}`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBe(390);
  await tabTo(new RegExp(`^Take back the share with user:${stage.people.max.email}`));
  await page.keyboard.press('Enter');
  await dialog.getByText('Only you.').waitFor();
  // The focus is not lost with the line.
  expect(await page.evaluate('document.activeElement?.closest("[role=dialog]") !== null')).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  await close();
});

test('markdown of an agent loads nothing, runs nothing and leads only outside', async () => {
  const { page, open, faults } = await as('max');
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await open('/talk/editor');
  await write(
    page,
    'text',
    `**bold** ![spy](https://spy.invalid/a.png) <img src="https://spy.invalid/b.png" onerror="toldFault('ran')"> ` +
      `[run](javascript:toldFault('ran')) [inside](/organisation) [outside](https://example.com/x)`,
  );
  const answer = answers(page);
  await answer.getByText('bold', { exact: true }).waitFor();
  const outside = answer.getByRole('link', { name: 'outside' });
  expect(await outside.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  expect(await answer.getByRole('link', { name: 'picture: spy' }).getAttribute('href')).toBe(
    'https://spy.invalid/a.png',
  );
  expect(await answer.locator('img, script, iframe, [onerror]').count()).toBe(0);
  for (const name of ['run', 'inside']) expect(await answer.getByRole('link', { name }).count()).toBe(0);
  expect(asked.filter((url) => !url.startsWith(stage.url))).toEqual([]);
  expect(faults).toEqual([]);
});

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('files of a message have their names and sizes, and only data of a picture becomes one', async () => {
  const { page, open, faults } = await as('max');
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(request.url()));
  await open('/talk/clock');
  const content = [
    { type: 'text', text: 'What is the capital of France?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } },
    { type: 'image_url', image_url: { url: 'https://spy.invalid/a.png' } },
    { type: 'image_url', image_url: { url: 'data:image/svg+xml;base64,PHN2Zy8+' } },
    {
      type: 'file',
      file: { filename: '\u202egnp.<img src=x onerror=toldFault(1)>', file_data: 'data:text/html;base64,PGI+' },
    },
  ];
  const body = JSON.stringify({ thread_id: 'with-files', input: { messages: [{ role: 'user', content }] } });
  const sent = `fetch('/agents/clock/invoke', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} })`;
  // The stand-in for the model answers no such message. The thread has what was said.
  expect(await page.evaluate<number>(`${sent}.then(({ status }) => status)`)).toBe(500);
  await open('/talk/clock/with-files');
  await said(page).getByText('What is the capital of France?').waitFor();
  const files = said(page).getByRole('listitem');
  expect((await files.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())).toEqual([
    'image 70 B',
    'image is elsewhere, and not loaded',
    'image 6 B',
    'gnp.<img src=x onerror=toldFault(1)> 3 B',
  ]);
  expect(await said(page).locator('img').count()).toBe(1);
  expect(asked.filter((url) => !url.startsWith(stage.url) && !url.startsWith('data:'))).toEqual([]);
  expect(await axeFindings(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test('files are attached, refused in words, left out and sent, and are there after a reload', async () => {
  const { page, open, faults } = await as('vera');
  const sent: string[] = [];
  page.on('request', (request) => void sent.push(request.postData() ?? ''));
  await open('/talk/seer');
  const attached = page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  const refusal = page.getByRole('alert');
  const file = (name: string, bytes: string | Buffer, mimeType = '') => ({
    name,
    mimeType,
    buffer: Buffer.from(bytes),
  });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Attach files' }).click(),
  ]);
  await chooser.setFiles([file('scan.tiff', 'II*'), file('page.png', '<html>')]);
  await refusal
    .getByText('"scan.tiff" is image/tiff. The agent takes image/png and text/*.', { exact: true })
    .waitFor();
  await refusal.getByText('"page.png" says that it is image/png, and its content is not.', { exact: true }).waitFor();
  expect(await attached.count()).toBe(0);
  const input = page.getByLabel('Files', { exact: true });
  await input.setInputFiles([file('dot.png', Buffer.from(dot, 'base64')), file('notes.md', '# a')]);
  await attached.nth(1).waitFor();
  expect(await refusal.innerText()).toBe('');
  await input.setInputFiles([file('big.csv', Buffer.alloc(5 * 1024 ** 2 + 52_429, 'x'))]);
  await refusal.getByText('"big.csv" has 5.1 MB. A file has at most 5 MB.', { exact: true }).waitFor();
  const give = `const given = new DataTransfer(); given.items.add(new File(['a,b'], 'table.csv', { type: 'text/csv' }));`;
  await page.evaluate(`${give} window.dispatchEvent(new DragEvent('drop', { dataTransfer: given }))`);
  await attached.nth(2).waitFor();
  await page.evaluate(
    `${give.replace('table', 'pasted')} document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: given, bubbles: true }))`,
  );
  await attached.nth(3).waitFor();
  expect(await attached.allInnerTexts()).toEqual([
    expect.stringMatching(/^dot\.png\s+70 B$/),
    expect.stringMatching(/^notes\.md\s+3 B$/),
    expect.stringMatching(/^table\.csv\s+3 B$/),
    expect.stringMatching(/^pasted\.csv\s+3 B$/),
  ]);
  expect(await attached.locator('img').count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  for (const name of ['notes.md', 'pasted.csv']) {
    await page.getByRole('button', { name: `Remove ${name}` }).focus();
    await page.keyboard.press('Enter');
    await attached.getByText(name, { exact: true }).waitFor({ state: 'detached' });
  }
  await page.keyboard.type('What is it?');
  await page.keyboard.press('Enter');
  const seen = answers(page).getByText('I see dot.png (image/png, 70 bytes), table.csv (text/csv, 3 bytes).');
  await seen.waitFor();
  await ended(page);
  expect(await attached.count()).toBe(0);
  const shown = async () =>
    (await said(page).getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
  expect(await shown()).toEqual(['dot.png 70 B', 'table.csv 3 B']);
  await page.reload();
  await settle(page);
  await seen.waitFor();
  expect(await shown()).toEqual(['dot.png 70 B', 'table.csv 3 B']);
  await said(page).getByText('What is it?').waitFor();
  expect(await said(page).getByRole('img', { name: 'dot.png' }).count()).toBe(1);
  for (const left_out of ['II*', '<html>', '# a'])
    expect(sent.filter((body) => body.includes(Buffer.from(left_out).toString('base64')))).toEqual([]);
  await open('/talk/clock');
  expect(await page.getByRole('button', { name: 'Attach files' }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test('a blocked answer is shown as the refusal of its guardrail', async () => {
  const { page, open, faults } = await as('vera');
  await open('/talk/desk');
  await write(page, 'question', 'How are the prices?');
  await page.getByRole('alert').getByText('A guardrail has blocked this text').waitFor();
  expect(await page.getByText('internal only').count()).toBe(0);
  expect(faults).toEqual([]);
});

test('an old address of the panel leads here, and the input can be JSON', async () => {
  const { page, open, faults } = await as('vera');
  await open('/agents/greeter/try');
  await page.waitForURL('**/talk/greeter');
  await page.getByRole('button', { name: 'As JSON' }).click();
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'More about greeter' }).click();
  await page.getByRole('menuitem', { name: /^Copy the svc line/ }).click();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(`svc invoke greeter '…' --stream`);
  expect(faults).toEqual([]);
});

test('on a phone the conversations are behind a button, and nothing is wider than the page', async () => {
  const { page, open, faults, close } = await visit(browser, { gantry: stage, people: stage.people }, 'vera', {
    isPhone: true,
  });
  await open('/talk/clock');
  await page.getByRole('button', { name: 'Conversations' }).click();
  await list(page).getByRole('link', { name: 'What is the capital of France?' }).first().click();
  await said(page).first().waitFor();
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(faults).toEqual([]);
  await close();
});

test('the page is accessible in both themes: empty, with a conversation, and with a question', async () => {
  const { page, open, faults } = await as('max');
  for (const path of ['/talk', '/talk/clock', '/talk/clock/france', '/talk/refunds', '/talk/refunds/order-12']) {
    await open(path);
    expect(await axeFindings(page), path).toEqual([]);
  }
  expect(faults).toEqual([]);
});
