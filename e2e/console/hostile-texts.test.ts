// Texts of users that a browser would run, on each page that shows them. review.test.ts has the pages of a review.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import { openBrowser, visit, type Visitor } from './browser.ts';
import { sharedStage } from './shared-stage.ts';

// Each would tell a fault of the page if it ran (browser.ts).
const corpus = [
  `<img src=x onerror="toldFault('ran')">`,
  `<script>toldFault('ran')</script>`,
  `"><svg onload="toldFault('ran')">`,
  `</title></textarea><iframe srcdoc="<script>parent.toldFault('ran')</script>"></iframe>`,
  `<a href="javascript:toldFault('ran')">here</a> [here](javascript:toldFault('ran')) javascript:toldFault('ran')`,
  `<math><mtext><table><mglyph><style><img src=x onerror="toldFault('ran')">`,
  `{{constructor.constructor("toldFault('ran')")()}} \${toldFault('ran')}`,
  `<form action="data:text/html,<script>toldFault('ran')</script>"><button autofocus onfocus="toldFault('ran')">`,
];
const mark = 'of-a-stranger';
const hostile = `${mark} ${corpus.join(' ')}`;

const stage = await sharedStage();
let browser: Browser;
let admin: Visitor;
let client: Client;
/** Where the texts are shown. */
let pages: string[];

beforeAll(async () => {
  browser = await openBrowser();
  const { email, password } = stage.people.admin;
  const { access_token } = await createClient({ base_url: stage.url, token: () => undefined }).call('auth.login', {
    body: { email, password },
  });
  client = createClient({ base_url: stage.url, token: () => access_token });
  const user = await client.call('users.create', {
    body: { email: 'stranger@example.com', name: hostile.slice(0, 200), one_time_password: true },
  });
  const principal = await client.call('principals.create', {
    body: { name: 'stranger', team: 'ml', description: hostile },
  });
  const key = await client.call('keys.create', {
    body: { alias: hostile.slice(0, 100), scope: 'team', scope_id: 'ml' },
  });
  await client.call('registry.create', {
    params: { kind: 'tool' },
    body: { name: 'stranger', team: 'ml', description: hostile },
  });
  const answered = await fetch(`${stage.url}/agents/greeter/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: { message: `I am ${hostile}` } }),
  });
  const trace_id = answered.headers.get('x-trace-id');
  pages = [
    '/users',
    `/users/${user.id}`,
    `/service-principals/${principal.id}`,
    '/keys',
    `/keys/${key.id}`,
    '/registry',
    '/registry/tool/stranger',
    `/traces/${trace_id}`,
  ];
  admin = await visit(browser, { gantry: stage, people: stage.people }, 'admin');
});
afterAll(async () => await browser?.close());

test('markup, scripts and links in texts of users run nothing on any page that shows them, and stay text', async () => {
  const { page, open, faults } = admin;
  for (const path of pages) {
    await open(path);
    await page.getByText(mark).first().waitFor({ state: 'attached' });
    const made = await page.evaluate<number>(
      `document.querySelectorAll('main :is(script, iframe, object, embed, math, style, img:not(.cm-widgetBuffer), [onload], [onerror], [onfocus], a[href^="javascript:" i], a[href^="data:" i])').length`,
    );
    expect({ path, made, faults }).toEqual({ path, made: 0, faults: [] });
  }
  // Their record, and an answer with such a text.
  for (const path of ['/audit', '/agents/greeter/traces', '/agents/greeter/logs', '/notifications', '/']) {
    await open(path);
    expect({ path, faults }).toEqual({ path, faults: [] });
  }
});
