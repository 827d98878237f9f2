// `npm run screenshots`: each page of the console in both themes and at phone width, into docs/console/. Words after it choose pages by name.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type Client } from '@gantry/contract/client/client.ts';
import type { Browser, Page } from 'playwright-core';
import { openBrowser, settle, visit, type Screen } from './browser.ts';
import { openConsoleStage, type ConsoleStage, type Person } from './stage.ts';

const folder = resolve(import.meta.dirname, '../../docs/console');
const screens: Record<string, Screen> = {
  light: { theme: 'light' },
  dark: { theme: 'dark' },
  phone: { isPhone: true },
};
const chosen = process.argv.slice(2);

const stage = await openConsoleStage();
const browser = await openBrowser();
try {
  await mkdir(folder, { recursive: true });
  const pages = (await pagesOf(stage)).filter(([name]) => chosen.length === 0 || chosen.includes(name));
  for (const [screen, settings] of Object.entries(screens))
    for (const as of ['max', 'admin', 'flagged', 'nobody'] as const)
      await shoot(browser, { as, screen, settings, pages: pages.filter(([, , who]) => who === as) });
} finally {
  await browser.close();
  await stage.stop();
}

type Shown = readonly [name: string, path: string, as: Person | 'nobody'];

async function shoot(
  browser: Browser,
  { as, screen, settings, pages }: { as: Person | 'nobody'; screen: string; settings: Screen; pages: readonly Shown[] },
): Promise<void> {
  if (pages.length === 0) return;
  const { page, faults, close } = await visit(browser, stage, as === 'nobody' ? undefined : as, settings);
  for (const [name, path] of pages) {
    await page.goto(path);
    await settle(page);
    await writeFile(join(folder, `${name}-${screen}.webp`), await picture(page));
    process.stdout.write(`${name}-${screen}\n`);
  }
  await close();
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** The whole page, in a window as high as its content: what sticks to the window reaches to its end. */
async function picture(page: Page): Promise<Buffer> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const content = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ width, height: Math.max(height, Math.min(content, 4000)) });
  // Code is measured again after a change of the window.
  await page.waitForTimeout(300);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  await session.detach();
  await page.setViewportSize({ width, height });
  return Buffer.from(data, 'base64');
}

async function pagesOf({ gantry }: ConsoleStage): Promise<Shown[]> {
  const token = await gantry.token('max');
  const max = createClient({ base_url: gantry.url, token: () => token });
  const [request] = (await max.call('approvals.list', { query: { asset: 'agents/greeter', status: 'pending' } })).items;
  const [deployment] = (await max.call('deployments.list', { query: { agent: 'greeter' } })).items;
  const [failed] = (await max.call('deployments.list', { query: { agent: 'broken' } })).items;
  const [trace] = (await max.call('traces.list', { query: { agent: 'clock' } })).items;
  const [run] = (await max.call('orchestrate.runs', { params: { name: 'review' }, query: {} })).items;
  const [partial] = (await max.call('orchestrate.runs', { params: { name: 'panel' }, query: {} })).items;
  const [talk] = (await max.call('threads.list', { params: { name: 'clock' }, query: {} })).items;
  const [question] = (await max.call('threads.list', { params: { name: 'refunds' }, query: {} })).items;
  const [actions] = (await max.call('threads.list', { params: { name: 'cashier' }, query: {} })).items;
  const shared = await shareOfVera(gantry);
  const document = await knowledgeOf(max);
  await promptOf(max);
  const [key] = (await max.call('keys.list', { query: { team: 'ml' } })).items;
  // The service writes figures every ten seconds.
  while ((await max.call('agents.status', { params: { name: 'clock' } })).last_24h.calls === 0) await sleep(500);
  const asMax: readonly (readonly [string, string])[] = [
    ['home', '/'],
    ['agents', '/agents'],
    ['agent', '/agents/greeter'],
    ['talk', `/talk/clock/${talk?.id}`],
    ['talk-shared', `/talk/clock/shared/${shared}`],
    ['talk-form', '/talk/refunds'],
    ['talk-question', `/talk/refunds/${question?.id}`],
    ['talk-actions', `/talk/cashier/${actions?.id}`],
    ['inbox', '/inbox'],
    ['revisions', '/agents/greeter/revisions'],
    ['deployments', '/agents/greeter/deployments'],
    ['deployment', `/deployments/${deployment?.id}`],
    ['deployment-failed', `/deployments/${failed?.id}`],
    ['logs', '/agents/clock/logs'],
    ['config', '/agents/greeter/config'],
    ['difference', '/agents/greeter/difference?from=1.0.0&to=1.1.0'],
    ['access', '/agents/greeter/access'],
    ['secrets', '/agents/greeter/secrets'],
    ['cost', '/agents/clock/cost'],
    ['traces', '/agents/clock/traces'],
    ['trace', `/traces/${trace?.trace_id}`],
    ['orchestrations', '/orchestrations'],
    ['orchestration', '/orchestrations/helpdesk'],
    ['orchestration-draft', '/orchestrations/draft'],
    ['orchestration-run', `/orchestrations/review/history/${run?.run_id}`],
    ['orchestration-run-partial', `/orchestrations/panel/history/${partial?.run_id}`],
    ['new-agent', '/new-agent'],
    ['registry', '/registry'],
    ['asset', '/registry/model/gpt-4o-mini'],
    ['knowledge', '/knowledge/house-rules'],
    ['knowledge-document', `/knowledge/house-rules/documents/${document}`],
    ['prompt', '/registry/prompt/greeting'],
    ['playground', '/registry/prompt/greeting/playground'],
    ['approvals', '/approvals'],
    ['review', `/approvals/${request?.id}`],
    ['team', '/teams/ml'],
    ['team-budget', '/teams/ml/budget'],
    ['keys', '/keys'],
    ['key', `/keys/${key?.id}`],
    ['costs', '/costs'],
    ['budgets', '/budgets'],
    ['audit', '/audit'],
    ['models', '/models'],
    ['notifications', '/notifications'],
  ];
  return [
    ['sign-in', '/sign-in', 'nobody'],
    ['change-password', '/change-password', 'flagged'],
    ...asMax.map(([name, path]) => [name, path, 'max'] as const),
    ['teams', '/teams', 'admin'],
    ['users', '/users', 'admin'],
    ['groups', '/groups', 'admin'],
    ['service-principals', '/service-principals', 'admin'],
    ['verify', '/audit/verify', 'admin'],
    ['organisation', '/organisation', 'admin'],
    ['webhooks', '/webhooks', 'admin'],
    ['doctor', '/doctor', 'admin'],
  ];
}

/** A base that serves, and one of its documents. */
async function knowledgeOf(max: Client): Promise<string> {
  const kitchen = '# Kitchen\n\nTea is free. The kettle is on the second floor.';
  const documents = [
    { title: 'kitchen', text: kitchen },
    { title: 'pay', text: 'Salaries are paid on the 25th of each month.' },
  ];
  await max.call('registry.create', {
    params: { kind: 'knowledge-base' },
    body: {
      name: 'house-rules',
      team: 'ml',
      config: { language: 'en', uploads: true, documents, rights: [{ documents: 'pay', readers: ['team:ml'] }] },
    },
  });
  const body = new TextEncoder().encode('# Travel\n\nTrains are first class from four hours on.');
  await max.call('knowledge.upload', { params: { name: 'house-rules' }, query: { path: 'travel.md' }, body });
  const { id } = await max.call('knowledge.refresh', { params: { name: 'house-rules' } });
  while ((await max.call('refreshes.show', { params: { id } })).state !== 'done') await sleep(500);
  const { listed } = await max.call('knowledge.snapshot', { params: { name: 'house-rules', number: 1 } });
  return listed[0]?.id ?? '';
}

/** Two versions of a prompt; the label `production` means the first. */
async function promptOf(max: Client): Promise<void> {
  const params = { kind: 'prompt', name: 'greeting' } as const;
  const config = (text: string) => ({ template: text, variables: [{ name: 'guest' }] });
  const first = config('Greet {{guest}} in one sentence.');
  await max.call('registry.create', {
    params: { kind: 'prompt' },
    body: { name: 'greeting', team: 'ml', config: first },
  });
  await max.call('registry.edit', {
    params,
    body: { version: '1.1.0', config: config('Greet {{guest}} in one sentence, and ask how the journey was.') },
  });
}

/** A conversation of vera with a picture, which max may read. */
async function shareOfVera(gantry: ConsoleStage['gantry']): Promise<string> {
  const token = await gantry.token('vera');
  const vera = createClient({ base_url: gantry.url, token: () => token });
  const picture = await readFile(join(folder, 'home-phone.webp'), 'base64');
  const content = [
    { type: 'text', text: 'My page looks like this. What is the capital of France?' },
    { type: 'image_url', image_url: { url: `data:image/webp;base64,${picture}` } },
  ];
  const call = { thread_id: 'picture', input: { messages: [{ role: 'user', content }] } };
  const body = new TextEncoder().encode(JSON.stringify(call));
  await vera.call('invoke.call', { params: { name: 'clock' }, body });
  const reader = { principal_type: 'user', principal_id: 'max@example.com' } as const;
  const share = await vera.call('threads.share', { params: { name: 'clock', thread: 'picture' }, body: reader });
  return share.id;
}
