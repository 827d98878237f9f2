// What an agent learns of who calls it, under its revision's ingress secret: the wrapper believes nothing else.
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import type { UserCaller } from '../access/caller.ts';

type Who = Pick<UserCaller, 'id' | 'email' | 'memberships'>;

/** A JWT (HS256). A minute is enough to arrive; the audience keeps it from being shown to another agent as a proof. */
export async function callerIdentity(secret: string, ref: string, caller: Who): Promise<string> {
  const teams = caller.memberships.map(({ team }) => team);
  return await new SignJWT({ email: caller.email, teams })
    .setProtectedHeader({ alg: 'HS256', typ: 'caller+jwt' })
    .setIssuer('gantry')
    .setAudience(ref)
    .setSubject(caller.id)
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(Buffer.from(secret));
}

/** Threads are named by callers, so each caller gets names of their own: nobody continues another's conversation. */
export function threadSpace(agent_id: string, caller: Who): string {
  return createHmac('sha256', agent_id).update(caller.id).digest('base64url').slice(0, 22);
}
