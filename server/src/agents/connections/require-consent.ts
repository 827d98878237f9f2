// A call with the credential of a person. Promises: only for a person who is connected to exactly this address, and who lets the calling agent and each
// asset through which the call came act in their name, with all tools of the calling version that may write. Else the person is asked, and nothing goes out.
import { Problem } from '@gantry/contract/problems.ts';
import type { AgentCaller, EndCaller } from '../../governance/access/caller.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { mayWrite, type ListedTool } from '../../assets/registry/tool-lists/tool-list.ts';
import type { Link } from '../../ground/run-token.ts';
import { askForAgent, linkOf } from './ask.ts';
import * as store from './connection-store.ts';
import type { ConnectionParts } from './parts.ts';

export interface CallAsUser {
  caller: AgentCaller;
  user: EndCaller;
  asset: AssetRecord;
  version: string;
  address: string;
  /** All that the version of the agent may call there. */
  tools: readonly ListedTool[];
}

/** Throws `connection_needed`, `connection_refused` or `too_many_requests`. */
export async function requireConsent(parts: ConnectionParts, call: CallAsUser): Promise<void> {
  const { caller, user, asset, version, address, tools } = call;
  if (user.kind !== 'user') throw notAPerson(asset, user);
  const through: Link[] = [{ id: caller.id, ref: caller.label }, ...(caller.run?.chain ?? [])];
  const writes = tools.filter(mayWrite).map(({ name }) => name);
  const connection = await store.find(parts.db, { user_id: user.id, server_id: asset.id });
  const isConnected = connection !== undefined && connection.address === address && !connection.is_ended;
  const consents = isConnected ? await store.consentsTo(parts.db, [connection.id]) : [];
  if (through.every(({ id }, at) => consents.some((one) => covers(one, { id, calls: at === 0, writes })))) return;
  const ask = await askForAgent(parts, caller, { user, server: { asset, version }, through, writes });
  if (ask.state === 'refused')
    throw new Problem('connection_refused', {
      detail: `${user.label} does not let ${caller.label} act in their name at ${asset.ref}. It may ask again after ${ask.expires_at}.`,
    });
  const wanted = isConnected ? `lets ${caller.label} act` : `connects, and lets ${caller.label} act`;
  throw new Problem('connection_needed', {
    detail: `${asset.ref} is called in the name of ${user.label}. The call was not made: it waits until ${user.label} ${wanted} there, at ${linkOf(parts.base_url, ask)}`,
    hint: 'Make the same call again after that.',
  });
}

function covers(
  consent: store.ConsentRow,
  { id, calls, writes }: { id: string; calls: boolean; writes: readonly string[] },
): boolean {
  return consent.asset_id === id && (consent.calls || !calls) && writes.every((name) => consent.writes.includes(name));
}

export function notAPerson({ ref }: Pick<AssetRecord, 'ref'>, { label }: Pick<EndCaller, 'label'>): Problem {
  return new Problem('connection_needed', {
    detail: `${ref} is called with credentials of people, and ${label} is no person.`,
    hint: 'Call the agent as a person.',
  });
}
