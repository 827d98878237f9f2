import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { endpoints } from '@gantry/contract/endpoints.ts';
import { idempotency_key_hours, takesIdempotencyKey } from '@gantry/contract/idempotency.ts';
import { needs } from '@gantry/contract/needs.ts';
import { operations } from '@gantry/contract/roles.ts';
import { table, type Page } from '../page.ts';

/** Every endpoint, and its permission. */
export function apiPage(): Page {
  const rows = Object.entries<Endpoint>(endpoints).map(([name, endpoint]) => [
    `\`${endpoint.method} ${endpoint.path}\``,
    endpoint.summary,
    needs(operations[endpoint.operation]),
    `\`${name}\``,
  ]);
  const keyed = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) => takesIdempotencyKey(endpoint));
  const named = Object.entries<Endpoint>(endpoints).filter(([, endpoint]) => endpoint.names_run === true);
  return {
    file: 'api.md',
    text: `# HTTP API

The running service describes itself as OpenAPI 3.1 at \`/api/v1/openapi.json\`, the source of [typed clients](../clients.md). Answers are \`{data}\`, lists \`{data, meta: {next_cursor, total}}\`, with the total where \`?total=true\` asks for it; refusals are [problems](problems.md). A governed change answers with the header \`X-Audit-Entry\`.

${keyed.map(([name]) => `\`${name}\``).join(', ')} take an \`Idempotency-Key\` (1 to 255 visible ASCII characters, valid for you for ${idempotency_key_hours} hours). A repeat of the request with the same key changes nothing. It gets the first answer with the header \`Idempotency-Replayed: true\`, without one-time passwords, which are not stored. A refused request changed nothing and can be repeated with its key. \`idempotency_conflict\` has three causes. The key belongs to another request. The first request still runs (\`Retry-After\`). Or it was done, and its answer was lost when the service ended: then look for its result.

${named.map(([name]) => `\`${name}\``).join(' and ')} take one for a run. A repeat within seven days begins nothing, and gets the same run and its answer. The key counts for its caller and this asset alone, and a UUID as the key works as the id of the run. \`idempotency_conflict\` means that the first call had other content.

${table(['endpoint', 'purpose', 'needs', 'name'], rows)}
`,
  };
}
