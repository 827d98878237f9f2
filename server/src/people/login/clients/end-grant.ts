// The end of a grant from the side of its client, with its entry in the log.
import type { AuditBody, AuditEvent } from '@gantry/contract/audit/audit.ts';
import type { Origin } from '../../../governance/access/caller.ts';
import { append } from '../../../governance/audit/append.ts';
import type { Tx } from '../../../ground/database/database.ts';
import * as store from './grant-store.ts';

export async function endGrant(
  tx: Tx,
  grant: store.GrantRow,
  { origin, reason }: { origin: Origin; reason: string },
): Promise<void> {
  if ((await store.remove(tx, grant.id)) === 0) return;
  await recordOf(tx, grant, { event: 'client.revoked', name: grant.client_name, origin, detail: { reason } });
}

/** All of a person. The entry of what ends them says so. */
export const endClients = async (tx: Tx, user_id: string) => await store.removeOf(tx, user_id);

interface Recorded {
  event: Extract<AuditEvent, `client.${string}`>;
  /** Of the actor. */
  name: string;
  origin: Origin;
  detail: AuditBody['detail'];
}

export async function recordOf(
  tx: Tx,
  grant: store.GrantRow,
  { event, name, origin, detail }: Recorded,
): Promise<void> {
  const { user_id, client_id, client_name: client, redirect_uri, resource } = grant;
  const { ip, request_id } = origin;
  const isUser = event === 'client.signed_in';
  const actor = { kind: isUser ? 'user' : 'anonymous', id: isUser ? user_id : null, name };
  const about = { client, client_id, redirect_uri, resource, user: user_id };
  await append(
    tx,
    { event, outcome: 'done', actor, team: null, asset: null, ip, request_id, detail: { ...about, ...detail } },
    [],
  );
}
