import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { zipOf, type Zipped } from './zip.ts';

const example = join(import.meta.dirname, '../../examples/langgraph-greeter');

/** The greeter under another name, for the team ml. */
export async function projectFiles(name: string): Promise<Zipped[]> {
  const read = async (path: string) => await readFile(join(example, path), 'utf8');
  const yaml = (await read('agent.yaml')).replace(/^name: .*/m, `name: ${name}`).replace(/^team: .*/m, 'team: ml');
  return [
    { path: 'agent.yaml', content: yaml },
    { path: 'agent.py', content: await read('agent.py') },
    { path: 'requirements.txt', content: await read('requirements.txt') },
  ];
}

/** Drops a zip on the page of a new agent. */
export async function dropZip(page: Page, entries: readonly Zipped[]): Promise<void> {
  const zip = zipOf(entries).toString('base64');
  const dropped = await page.evaluateHandle(`(() => {
    const bytes = Uint8Array.from(atob('${zip}'), (one) => one.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'project.zip', { type: 'application/zip' }));
    return transfer;
  })()`);
  await page.getByRole('region', { name: 'Drop a project' }).dispatchEvent('drop', { dataTransfer: dropped });
}

/** The greeter as another program has it: a package below src/, and langgraph.json in place of agent.yaml. */
export async function foreignFiles(): Promise<Zipped[]> {
  const read = async (path: string) => await readFile(join(example, path), 'utf8');
  const graphs = { greet: './src/greeting/graph.py:graph' };
  return [
    { path: 'langgraph.json', content: JSON.stringify({ dependencies: ['.'], graphs }) },
    { path: 'requirements.txt', content: await read('requirements.txt') },
    { path: 'src/greeting/__init__.py', content: '' },
    { path: 'src/greeting/graph.py', content: `${await read('agent.py')}\nSOURCE = "https://api.greetings.dev/v1"\n` },
    { path: '.env.example', content: 'OPENAI_API_KEY=\nGREETING=\n' },
    { path: '.env', content: 'export CRM_TOKEN=a-secret-value\n' },
  ];
}
