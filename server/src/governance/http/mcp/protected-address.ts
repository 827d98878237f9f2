// The addresses of the Model Context Protocol for clients, and the scopes that a token for each of them can have.
import type { ClientScope } from '@gantry/contract/people/clients.ts';
import { name } from '@gantry/contract/wire.ts';

/** Undefined for a path that is none of them. */
export function scopesAt(path: string): readonly ClientScope[] | undefined {
  if (path === '/mcp') return ['read', 'change'];
  const [, server, agent] = /^\/(?:mcp\/([^/]+)|agents\/([^/]+)\/mcp)$/.exec(path) ?? [];
  return name.safeParse(server ?? agent).success ? ['tools'] : undefined;
}
