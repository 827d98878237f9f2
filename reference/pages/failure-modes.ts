import { failureSections, type Failure } from '../failure-modes.ts';
import { table, type Page } from '../page.ts';

/** What can break, and what then happens. */
export async function failureModesPage(): Promise<Page> {
  const sections = await failureSections();
  const head = ['no.', 'what breaks', 'what you see', 'what the service does by itself', 'what is never lost', 'tests'];
  return {
    file: 'failure-modes.md',
    text: `# Failure modes

What can break, and what happens then. A test compares this page with the existing tests.

${sections.map(({ title, failures }) => `## ${title}\n\n${table(head, failures.map(row))}`).join('\n\n')}
`,
  };
}

function row({ number, what, seen, done, never, tests }: Failure): string[] {
  return [number, what, seen, done, never, tests.map(({ file, name }) => `\`${file}\`: ${name}`).join('<br>')];
}
