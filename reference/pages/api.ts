import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { idempotencyKeyHours, takesIdempotencyKey } from '@gantry/contract/idempotency.ts';
import { needs } from '@gantry/contract/needs.ts';
import { operations } from '@gantry/contract/roles.ts';
import { table, type Page } from '../page.ts';

/** Every endpoint, and what it needs. */
export function apiPage(): Page {
  const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
    `\`${endpoint.method} ${endpoint.path}\``,
    endpoint.summary,
    needs(operations[endpoint.operation]),
    `\`${name}\``,
  ]);
  const keyed = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) => takesIdempotencyKey(endpoint));
  return {
    file: 'api.md',
    text: `# HTTP API

The running service describes itself as OpenAPI 3.1 at \`/api/v1/openapi.json\`, from which [typed clients](../clients.md) are made. Answers are \`{data}\`, lists \`{data, meta: {next_cursor}}\`; refusals are [problems](problems.md). A governed change answers with the header \`X-Audit-Entry\`.

${keyed.map(([name]) => `\`${name}\``).join(', ')} take an \`Idempotency-Key\` (1 to 255 visible ASCII characters, your own for ${idempotencyKeyHours} hours): sent again with it, the same request is done once, and its first answer is given again with the header \`Idempotency-Replayed: true\`, without one-time passwords, which are kept nowhere. A request that was refused changed nothing and may be sent again with its key. \`idempotency_conflict\` says that the key belongs to another request, that the first is still being carried out (\`Retry-After\`), or that it was carried out and its answer was lost when the service ended: then look for what it made.

${table(['endpoint', 'what it does', 'needs', 'name'], rows)}
`,
  };
}
