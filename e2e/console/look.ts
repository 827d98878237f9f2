// `node e2e/console/look.ts <stage.json> <path> <file.png> [as] [dark] [phone]`: one picture of a page, for work on it.
import { readFile } from 'node:fs/promises';
import { openBrowser, visit } from './browser.ts';
import type { ConsoleStage, Person } from './stage.ts';

const [stage = '', path = '/', file = 'look.png', as = 'max', ...screen] = process.argv.slice(2);
const { url, people } = JSON.parse(await readFile(stage, 'utf8')) as { url: string; people: ConsoleStage['people'] };
const browser = await openBrowser();
const visitor = await visit(browser, { gantry: { url }, people }, as === 'nobody' ? undefined : (as as Person), {
  theme: screen.includes('dark') ? 'dark' : 'light',
  isPhone: screen.includes('phone'),
});
try {
  await visitor.open(path);
} finally {
  await visitor.page.screenshot({ path: file, fullPage: true });
  process.stdout.write(`${visitor.page.url()}\n${visitor.faults.join('\n')}\n`);
  await browser.close();
}
