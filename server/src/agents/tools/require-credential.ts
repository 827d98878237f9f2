// A server that is called in the name of the end caller needs their consent, whatever is asked of it.
import type { EndCaller } from '../../governance/access/caller.ts';
import { requireConsent } from '../connections/require-consent.ts';
import type { ToolCaller } from './admit-call.ts';
import type { UsableServer } from './find-tools.ts';
import type { ToolParts } from './parts.ts';

/** Throws `connection_needed`, `connection_refused` or `too_many_requests`. */
export async function requireCredential(
  parts: ToolParts,
  { caller, user, usable: { upstream, tools } }: { caller: ToolCaller; user: EndCaller; usable: UsableServer },
): Promise<void> {
  const { asset, version, config } = upstream;
  // A person who makes the call needs no consent, only a connection: the credential says so.
  if (caller.kind === 'agent' && config.as === 'user' && config.url !== undefined)
    await requireConsent(parts, { caller, user, asset, version, address: config.url, tools });
}
