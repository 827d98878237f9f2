import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { operations, type Rule } from '@gantry/contract/roles.ts';
import { table, type Page } from '../page.ts';

/** Every endpoint, and what it needs. */
export function apiPage(): Page {
  const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
    `\`${endpoint.method} ${endpoint.path}\``,
    endpoint.summary,
    needs(operations[endpoint.operation]),
    `\`${name}\``,
  ]);
  return {
    file: 'api.md',
    text: `# HTTP API

The running service describes itself as OpenAPI 3.1 at \`/api/v1/openapi.json\`. Answers are \`{data}\`, lists \`{data, meta: {next_cursor}}\`; refusals are [problems](problems.md). A governed change answers with the header \`X-Audit-Entry\`.

${table(['endpoint', 'what it does', 'needs', 'name'], rows)}
`,
  };
}

function needs(rule: Rule): string {
  switch (rule.on) {
    case 'anyone':
      return 'nothing';
    case 'signed_in':
      return 'a sign-in';
    case 'org':
      return `platform role ${rule.role}`;
    case 'team':
      return `role ${rule.role} in the team`;
    case 'asset':
      return `\`${rule.action}\` on the asset, and role ${rule.role} in its team`;
    case 'system':
      return 'the service itself';
  }
}
