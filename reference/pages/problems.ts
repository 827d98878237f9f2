import { problemsOf, type Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { commonProblems, problems } from '@gantry/contract/problems.ts';
import { table, type Page } from '../page.ts';

/** Every refusal, where it comes from, and what to do. */
export function problemsPage(): Page {
  const rows = Object.entries<{ status: number; title: string; hint?: string }>(problems).map(
    ([code, { status, title, hint = '' }]) => [`\`${code}\``, String(status), title, hint, raisedBy(code)],
  );
  return {
    file: 'problems.md',
    text: `# Problems

Every refusal is \`application/problem+json\` (RFC 9457) with \`code\`, \`status\`, \`detail\`, \`hint\`, \`request_id\` and, where an input has faults, \`errors\` with JSON pointers, lines and columns. Clients match \`code\`; the sentences may become more precise.

${table(['code', 'status', 'what is wrong', 'what to do', 'where'], rows)}
`,
  };
}

function raisedBy(code: string): string {
  if ((commonProblems as readonly string[]).includes(code)) return 'everywhere';
  const named = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) =>
    (problemsOf(endpoint) as readonly string[]).includes(code),
  );
  return named.length === 0 ? 'pushes and deploys' : named.map(([name]) => `\`${name}\``).join(', ');
}
