import { buildProblems } from '@gantry/contract/assets/tools.ts';
import { problemsOf, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { commonProblems, problems } from '@gantry/contract/problems.ts';
import { table, type Page } from '../page.ts';

/** Every refusal, its endpoints and its remedy. */
export function problemsPage(): Page {
  const rows = Object.entries<{ status: number; title: string; hint?: string }>(problems).map(
    ([code, { status, title, hint = '' }]) => [`\`${code}\``, String(status), title, hint, raisedBy(code)],
  );
  return {
    file: 'problems.md',
    text: `# Problems

Every refusal is \`application/problem+json\` (RFC 9457) with \`code\`, \`status\`, \`detail\`, \`hint\`, \`request_id\` and, for a faulty input, \`errors\` with JSON pointers, lines and columns. Clients match \`code\`; the sentences can become more precise.

${table(['code', 'status', 'problem', 'remedy', 'endpoints'], rows)}
`,
  };
}

function raisedBy(code: string): string {
  if ((commonProblems as readonly string[]).includes(code)) return 'everywhere';
  const named = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) =>
    (problemsOf(endpoint) as readonly string[]).includes(code),
  );
  const isOfRuns = named.length === 0 || (buildProblems as readonly string[]).includes(code);
  return [...(isOfRuns ? ['pushes and deploys'] : []), ...named.map(([name]) => `\`${name}\``)].join(', ');
}
