// A client of the Model Context Protocol that is not signed in, or lacks a scope, learns where it signs in (RFC 9728, section 5.1). The answer depends on
// the address alone, so it does not say whether there is a server or an agent of that name.
import type { Problem } from '@gantry/contract/problems.ts';
import { scopesAt } from '../mcp/protected-address.ts';
import type { Reply } from '../answer/reply.ts';
import type { Surface } from '../surface.ts';

interface Refused {
  surface: Surface;
  problem: Problem;
  path: string;
}

export function sayWhereToSignIn(
  base_url: (() => string) | undefined,
  { surface, problem: { code, status }, path }: Refused,
  reply: Reply,
): Reply {
  const scopes = scopesAt(path);
  if (surface.says_where_to_sign_in !== true || base_url === undefined || scopes === undefined) return reply;
  if (status !== 401 && code !== 'insufficient_scope') return reply;
  const challenge = {
    ...(code === 'insufficient_scope' && { error: code }),
    resource_metadata: `${new URL(base_url()).origin}/.well-known/oauth-protected-resource${path}`,
    scope: scopes.join(' '),
  };
  const printed = Object.entries(challenge).map(([name, value]) => `${name}="${value}"`);
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': `Bearer ${printed.join(', ')}` } };
}
