// What an agent learns of who calls it, under its revision's ingress secret: the wrapper believes nothing else.
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { SignedInCaller } from '../access/caller.ts';

type Who = Pick<SignedInCaller, 'id' | 'kind' | 'label' | 'memberships'>;

const good_for_seconds = 60;

// Signed once for calls that follow each other closely; each then has at least half a minute to arrive.
const signed = new LRUCache<string, string>({
  max: 10_000,
  ttl: (good_for_seconds / 2) * 1000,
  perf: { now: () => Date.now() },
  ttlResolution: 0,
});

/** A JWT (HS256). A minute is enough to arrive; the audience keeps it from being shown to another agent as a proof. */
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

/** Threads are named by callers, so each caller gets names of their own: nobody continues another's conversation. */
export function threadSpace(agent_id: string, caller: Who): string {
  return createHmac('sha256', agent_id).update(caller.id).digest('base64url').slice(0, 22);
}
