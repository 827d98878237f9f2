// Access tokens: JWT HS256 (RFC 7519, 8725) under a key derived for this alone. A token says who, never what they may.
import { createSecretKey, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** The spec's default token lifetime: 24 hours. */
export const token_lifetime_seconds = 24 * 60 * 60;
const issuer = 'gantry';
const audience = 'gantry-api';
const type = 'at+jwt'; // RFC 9068: no other token of ours, signed for another use, passes for this one

export interface Tokens {
  issue(user_id: string, session_id: string): Promise<string>;
  /** Session and user; undefined for anything but a sound, unexpired token of ours. */
  verify(token: string): Promise<{ session_id: string; user_id: string } | undefined>;
}

const claims = z.object({ sub: z.uuid(), jti: z.uuid() });

export function tokens(secret: Buffer): Tokens {
  // The library keeps what it makes of a key object; bytes it would import anew for every token.
  const key = createSecretKey(secret);
  return {
    issue: async (user_id, session_id) =>
      await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(user_id)
        .setJti(session_id)
        .setIssuedAt()
        .setExpirationTime(`${token_lifetime_seconds}s`)
        .sign(key),
    verify: async (token) => {
      // Ours are about 300 bytes; nothing larger is worth parsing.
      if (token.length > 2048) return undefined;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          audience,
          typ: type,
          maxTokenAge: token_lifetime_seconds,
        });
        const read = claims.safeParse(payload);
        return read.success ? { session_id: read.data.jti, user_id: read.data.sub } : undefined;
      } catch {
        // Whatever is wrong with it, the answer is the same: no token.
        return undefined;
      }
    },
  };
}

export function newSessionId(): string {
  return randomUUID();
}
