// The console in a real browser: the size of its scripts, the time until home can be used, and the longest frame while a list of 10,000
// agents and a log of 50,000 lines scroll. Before the bench, `npm run bench` builds the console.
import type { CDPSession, Page } from 'playwright-core';
import { databaseOf } from '../e2e/database-of.ts';
import { openBrowser, settle, visit, type Visitor } from '../e2e/console/browser.ts';
import { sql } from '../server/src/ground/database/sql.ts';
import type { Row } from './report/row.ts';
import { quantile, repeat } from './load/sampling.ts';
import type { Measured } from './service/service.ts';

const agents = 10_000;
const log_lines = 50_000;
const visits = 12;
const wheel_turns = 120;
const wheel_px = 600;

export async function measure({ installation }: Measured): Promise<Row[]> {
  await fill(installation);
  const browser = await openBrowser();
  const people = { admin: { email: 'admin@gantry.local', password: installation.admin_password } };
  // Only the admin is asked for.
  const stage = { gantry: installation, people: people as Parameters<typeof visit>[1]['people'] };
  const visitor = await visit(browser, stage, 'admin');
  try {
    const home = await scriptsOfHome(await visit(browser, stage, 'admin'));
    const parts: HomeParts[] = [];
    const usable = await repeat(visits, async () => await timeToHome(visitor, parts));
    const list = await framesOf(visitor.page, async () => await visitor.open('/agents'));
    const entrance = await visit(browser, stage);
    const before = await entrance.page.context().newCDPSession(entrance.page);
    await before.send('Network.enable');
    const sign_in = await scriptKilobytes(before, async () => void (await entrance.page.goto('/sign-in')));
    await serveLog(visitor.page);
    const log = await framesOf(visitor.page, async () => await openLog(visitor));
    const plain = await framesOf(visitor.page, async () => await openPlainText(visitor.page));
    return [
      { measure: 'script of the sign-in', unit: 'KB', at_most: 60, samples: [sign_in], how: 'compressed, as sent' },
      {
        measure: 'script of home',
        unit: 'KB',
        at_most: 200,
        samples: [home],
        how: 'compressed, as sent, without those of other pages, which load while nothing happens',
      },
      {
        measure: 'home can be used',
        unit: 'ms',
        at_most: 1000,
        samples: usable,
        how: `${visits} visits, cached scripts`,
      },
      ...home_parts.map(([part, measure]): Row => ({
        measure,
        unit: 'ms',
        samples: parts.map((each) => each[part]),
        how: 'likewise, from the start of the navigation',
      })),
      {
        measure: 'a frame while 10,000 agents scroll',
        unit: 'ms',
        p99_at_most: 50,
        samples: list,
        how: `${than(list, plain)}; its pages load on the way`,
      },
      {
        measure: 'a frame while 50,000 lines scroll',
        unit: 'ms',
        p99_at_most: 50,
        samples: log,
        how: than(log, plain),
      },
      {
        measure: 'a frame while plain text scrolls',
        unit: 'ms',
        samples: plain,
        how: 'a page without a script of ours',
      },
    ];
  } finally {
    await browser.close();
  }
}

const than = (ours: readonly number[], plain: readonly number[]) =>
  `p99 ${(quantile(ours, 0.99) / quantile(plain, 0.99)).toFixed(2)} × the one of plain text; ${wheel_turns} turns of the wheel by ${wheel_px} px, headless without a graphics card`;

const home_parts = [
  ['document_ms', '… until its document is read'],
  ['script_ms', '… until its first script has run'],
  ['answer_ms', '… until the API has answered'],
] as const;
type HomeParts = Record<(typeof home_parts)[number][0], number>;

async function scriptKilobytes(session: CDPSession, load: () => Promise<void>): Promise<number> {
  const scripts = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Script' && scripts.add(requestId));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await load();
  await session.send('Network.setCacheDisabled', { cacheDisabled: false });
  return bytes / 1024;
}

async function scriptsOfHome({ page, open, close }: Visitor): Promise<number> {
  await page.addInitScript({ content: 'window.requestIdleCallback = () => 0;' });
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const kilobytes = await scriptKilobytes(network, async () => await open('/'));
  await close();
  return kilobytes;
}

async function timeToHome({ page }: Visitor, parts: HomeParts[]): Promise<number> {
  await page.goto('about:blank');
  const began = performance.now();
  await page.goto('/');
  await page.getByRole('heading', { name: 'What runs' }).waitFor();
  await settle(page);
  const taken = performance.now() - began;
  parts.push(
    await page.evaluate<HomeParts>(`(() => {
      const [document] = performance.getEntriesByType('navigation');
      const answers = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/home'));
      return {
        document_ms: document.responseEnd,
        script_ms: document.domContentLoadedEventEnd,
        answer_ms: Math.max(...answers.map(({ responseEnd }) => responseEnd)),
      };
    })()`),
  );
  return taken;
}

/** The same scrolling without our code: what the browser and this machine need for a frame. */
async function openPlainText(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.setContent(`<pre>${'a line of plain text\n'.repeat(6000)}</pre>`);
}

async function framesOf(page: Page, open: () => Promise<void>): Promise<number[]> {
  await open();
  await page.evaluate(`
    window.frames_ms = [];
    let last = performance.now();
    requestAnimationFrame(function frame(now) {
      frames_ms.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    });`);
  await page.mouse.move(640, 500);
  for (let turn = 0; turn < wheel_turns; turn++) await page.mouse.wheel(0, wheel_px);
  return await page.evaluate<number[]>('frames_ms.slice(1)');
}

/** The service's own limit of a log is 10,000 lines, so the answer with more is made here. */
async function serveLog(page: Page): Promise<void> {
  const line = (n: number) =>
    JSON.stringify({
      at: new Date(n).toISOString(),
      stream: 'stdout',
      line: `line ${n} of a busy agent`,
      revision: 'r',
    });
  const body = Array.from({ length: log_lines }, (_, n) => `id: ${n}\ndata: ${line(n)}\n\n`).join('');
  let isAnswered = false;
  await page.route('**/api/v1/agents/*/logs*', async (route) => {
    // The page connects again when the first answer ends. The next one stays open without a line, as a service's does.
    if (isAnswered) return;
    isAnswered = true;
    // The client takes no answer without the header for one of the service.
    await route.fulfill({ contentType: 'text/event-stream', headers: { 'x-request-id': 'of the bench' }, body });
  });
}

async function openLog({ page, open }: Visitor): Promise<void> {
  await open('/agents/agent-00001/logs');
  await page.getByText(`${log_lines.toLocaleString('en')} lines`).waitFor();
}

// In bulk, because through the API it would be 10,000 pushes.
async function fill(installation: Measured['installation']): Promise<void> {
  const db = await databaseOf(installation, { max: 1 });
  try {
    await db.run(sql`alter table asset disable trigger all`);
    await db.run(sql`
      insert into asset (kind, name, team_id, owner_id, visibility, search)
      select 'agent', 'agent-' || lpad(n::text, 5, '0'), t.id, (select id from app_user order by email limit 1), 'org', ''
      from generate_series(1, ${agents}) n, team t where t.name = 'default'`);
    await db.run(sql`alter table asset enable trigger all`);
    await db.run(sql`alter table asset enable always trigger governed`);
    await db.run(sql`vacuum analyze`);
  } finally {
    await db.close();
  }
}
