// The caller's identity for the agent, signed with its revision's ingress secret. The wrapper accepts no other identity.
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { Link } from '../../ground/run-token.ts';

type Chain = readonly Link[];
type Who = Pick<EndCaller, 'id' | 'kind' | 'label' | 'memberships'>;

const good_for_seconds = 60;

// One signature serves successive calls. Each call has at least half a minute to arrive.
const signed = new LRUCache<string, string>({
  max: 10_000,
  ttl: (good_for_seconds / 2) * 1000,
  perf: { now: () => Date.now() },
  ttlResolution: 0,
});

/**
 * A JWT (HS256). It is valid for one minute. Its audience makes it invalid for another agent. `sub` is the end caller, and `act` the assets
 * through which the call came, nearest first (RFC 8693).
 */
export async function callerIdentity(secret: string, ref: string, caller: Who, chain: Chain = []): Promise<string> {
  const teams = caller.memberships.map(({ team }) => team);
  const everything = JSON.stringify([secret, ref, caller.id, caller.label, teams, chain.map((one) => one.ref)]);
  const recent = signed.get(everything);
  if (recent !== undefined) return recent;
  const identity = await new SignJWT({
    email: caller.kind === 'user' ? caller.label : null,
    teams,
    ...actorClaim(chain),
  })
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

const spaces = new LRUCache<string, string>({ max: 10_000 });

interface Actor {
  act?: Actor & { sub: string };
}

function actorClaim(chain: Chain): Actor {
  return chain.reduceRight<Actor>((inner, { ref }) => ({ act: { sub: ref, ...inner } }), {});
}

/**
 * Callers name their threads. Each caller has a separate name space, so nobody continues another caller's conversation. A caller has
 * another one for each way to the agent.
 */
export function threadSpace(agent_id: string, caller: Pick<Who, 'id'>, chain: Chain = []): string {
  const who = [...chain.map(({ id }) => id), caller.id].join(' ');
  const everything = `${agent_id} ${who}`;
  const known = spaces.get(everything);
  if (known !== undefined) return known;
  const space = createHmac('sha256', agent_id).update(who).digest('base64url').slice(0, 22);
  spaces.set(everything, space);
  return space;
}
