import { table, type Page } from '../page.ts';
import { threatSections, type Threat } from '../threats.ts';

/** What is tried against the service, and by which test. */
export async function threatsPage(): Promise<Page> {
  const sections = await threatSections();
  return {
    file: 'threats.md',
    text: `# Threats

What somebody who means harm could try, what is promised against it, and the tests that try it. A test holds this page to the tests that
are there. The numbers are those of the project's list; those that are missing are about what does not exist yet.

${sections.map(({ title, threats }) => `## ${title}\n\n${table(['no.', 'what is promised', 'tried by'], threats.map(row))}`).join('\n\n')}
`,
  };
}

function row({ number, promise, tests, untried }: Threat): string[] {
  const tried = tests.map(({ file, name }) => `\`${file}\`: ${name}`);
  return [number, promise, [...tried, ...untried.map((what) => `*Not tried:* ${what}.`)].join('<br>')];
}
