// A token of this service for one request to a server with `as: delegate` (RFC 9068, RFC 8693): for whom, by which agents, and for this server alone. So a
// company's API decides by itself, and another server that gets it can do nothing with it.
import { randomUUID } from 'node:crypto';
import type { EndCaller } from '../../governance/access/caller.ts';
import type { Sign } from '../../governance/signing-keys/signing-keys.ts';
import type { Link } from '../../ground/run-token.ts';

export interface DelegateCall {
  user: EndCaller;
  /** The calling agent first. Empty: the person asks the server itself. */
  through: readonly Link[];
  address: string;
}

interface Actor {
  sub: string;
  name: string;
  act?: Actor;
}

const lifetime_seconds = 60;

export async function delegateToken(
  { sign, base_url }: { sign: Sign; base_url: () => string },
  { user, through, address }: DelegateCall,
): Promise<string> {
  const act = actorOf(through);
  const claims = {
    iss: base_url(),
    sub: user.id,
    name: user.label,
    aud: address,
    client_id: through[0]?.ref ?? 'gantry',
    jti: randomUUID(),
    exp: Math.floor(Date.now() / 1000) + lifetime_seconds,
    ...(act !== undefined && { act }),
  };
  return await sign(claims, { typ: 'at+jwt' });
}

/** The present actor outside, who has called it inside. */
function actorOf([first, ...others]: readonly Link[]): Actor | undefined {
  if (first === undefined) return undefined;
  const act = actorOf(others);
  return { sub: first.id, name: first.ref, ...(act !== undefined && { act }) };
}
