// Access tokens of clients: JWT HS256 with a key of their own and one audience. A token names its session, which ends with the grant. It has no rights
// but those of its person, and no more than its scopes.
import { createSecretKey } from 'node:crypto';
import { clientScopes, type ClientScope } from '@gantry/contract/people/clients.ts';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

export const access_seconds = 60 * 60;
const prefix = 'gct_';
const issuer = 'gantry';
const type = 'at+jwt';

export interface ClientTokens {
  issue(token: ClientToken, resource: string): Promise<string>;
  /** Undefined unless it is valid at this resource. */
  verify(token: string, resource: string): Promise<ClientToken | undefined>;
}

interface ClientToken {
  session_id: string;
  user_id: string;
  grant_id: string;
  scopes: ClientScope[];
}

const claims = z.object({
  sub: z.uuid(),
  jti: z.uuid(),
  grant: z.uuid(),
  scope: z
    .string()
    .transform((text) => text.split(' ').filter((one): one is ClientScope => Object.hasOwn(clientScopes, one))),
});

export const isClientToken = (token: string) => token.startsWith(prefix);

export function clientTokens(secret: Buffer): ClientTokens {
  const key = createSecretKey(secret);
  return {
    issue: async ({ session_id, user_id, grant_id, scopes }, resource) => {
      const signed = await new SignJWT({ grant: grant_id, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setIssuer(issuer)
        .setAudience(resource)
        .setSubject(user_id)
        .setJti(session_id)
        .setIssuedAt()
        .setExpirationTime(`${access_seconds}s`)
        .sign(key);
      return prefix + signed;
    },
    verify: async (token, resource) => {
      if (!isClientToken(token) || token.length > 4096) return undefined;
      try {
        const { payload } = await jwtVerify(token.slice(prefix.length), key, {
          algorithms: ['HS256'],
          issuer,
          audience: resource,
          typ: type,
          maxTokenAge: access_seconds,
        });
        const { data } = claims.safeParse(payload);
        return data && { session_id: data.jti, user_id: data.sub, grant_id: data.grant, scopes: data.scope };
      } catch {
        // Every fault gives the same answer: no token.
        return undefined;
      }
    },
  };
}
