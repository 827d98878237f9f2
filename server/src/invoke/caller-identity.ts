// The caller's identity for the agent, signed with its revision's ingress secret. The wrapper accepts no other identity.
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { SignedInCaller } from '../access/caller.ts';

type Who = Pick<SignedInCaller, 'id' | 'kind' | 'label' | 'memberships'>;

const good_for_seconds = 60;

// One signature serves successive calls. Each call has at least half a minute to arrive.
const signed = new LRUCache<string, string>({
  max: 10_000,
  ttl: (good_for_seconds / 2) * 1000,
  perf: { now: () => Date.now() },
  ttlResolution: 0,
});

/** A JWT (HS256). It is valid for one minute. Its audience makes it invalid for another agent. */
export async function callerIdentity(secret: string, ref: string, caller: Who): Promise<string> {
  const teams = caller.memberships.map(({ team }) => team);
  const everything = JSON.stringify([secret, ref, caller.id, caller.label, teams]);
  const recent = signed.get(everything);
  if (recent !== undefined) return recent;
  const identity = await new SignJWT({ email: caller.kind === 'user' ? caller.label : null, teams })
    .setProtectedHeader({ alg: 'HS256', typ: 'caller+jwt' })
    .setIssuer('gantry')
    .setAudience(ref)
    .setSubject(caller.id)
    .setIssuedAt()
    .setExpirationTime(`${good_for_seconds}s`)
    .sign(Buffer.from(secret));
  signed.set(everything, identity);
  return identity;
}

/** Callers name their threads. Each caller has a separate name space, so nobody continues another caller's conversation. */
export function threadSpace(agent_id: string, caller: Who): string {
  return createHmac('sha256', agent_id).update(caller.id).digest('base64url').slice(0, 22);
}
