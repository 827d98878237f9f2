import { table, type Page } from '../page.ts';
import { threatSections, type Threat } from '../threats.ts';

/** The attacks on the service, with the test of each. */
export async function threatsPage(): Promise<Page> {
  const sections = await threatSections();
  return {
    file: 'threats.md',
    text: `# Threats

The possible attacks, the promise against each, and its tests. A test compares this page with the existing
tests. The numbers come from the project's list; missing numbers are about features that do not exist yet.

${sections.map(({ title, threats }) => `## ${title}\n\n${table(['no.', 'promise', 'tests'], threats.map(row))}`).join('\n\n')}
`,
  };
}

function row({ number, promise, tests, untried }: Threat): string[] {
  const tried = tests.map(({ file, name }) => `\`${file}\`: ${name}`);
  return [number, promise, [...tried, ...untried.map((what) => `*Not tested:* ${what}.`)].join('<br>')];
}
