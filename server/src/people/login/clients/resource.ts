// What a token of a client is for: one address of the Model Context Protocol here (RFC 8707), and scopes that exist there.
import type { ClientScope } from '@gantry/contract/people/clients.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { scopesAt } from '../../../governance/http/mcp/protected-address.ts';

interface Resource {
  resource: string;
  scopes: readonly ClientScope[];
}

/** Compared as text, so another spelling of an address is another address. Throws `invalid_target`. */
export function readResource(base_url: string, resource: string): Resource {
  const origin = originOf(base_url);
  const scopes = resource.startsWith(`${origin}/`) ? scopesAt(resource.slice(origin.length)) : undefined;
  if (scopes === undefined) throw new Problem('invalid_target');
  return { resource, scopes };
}

export const originOf = (base_url: string) => new URL(base_url).origin;

/** Those that exist among the asked ones, or all of them when none is asked. Throws `invalid_scope`. */
export function chooseScopes<Scope extends string>(offered: readonly Scope[], asked: string): Scope[] {
  const names = asked.split(' ').filter((part) => part !== '');
  const chosen = offered.filter((scope) => names.length === 0 || names.includes(scope));
  if (chosen.length === 0) throw new Problem('invalid_scope', { detail: `There are: ${offered.join(', ')}.` });
  return chosen;
}
