// Access tokens: JWT HS256 (RFC 7519, 8725) under a key derived for this alone. A token says who, never what they may.
import { createSecretKey, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The spec's default token lifetime: 24 hours. */
export const token_lifetime_seconds = 24 * 60 * 60;
const issuer = 'gantry';
const audience = 'gantry-api';
const type = 'at+jwt'; // RFC 9068: no other token of ours, signed for another use, passes for this one

export interface Tokens {
  issue(whose: Verified, lifetime_seconds?: number): Promise<string>;
  /** Session and subject; undefined for anything but a sound, unexpired token of ours. */
  verify(token: string): Promise<Verified | undefined>;
}

interface Verified {
  session_id: string;
  /** The id of a user or of a service principal. */
  subject: string;
  kind: 'user' | 'principal';
}

const claims = z.object({
  sub: z.uuid(),
  jti: z.uuid(),
  exp: z.number(),
  kind: z.enum(['user', 'principal']).default('user'),
});
const max_remembered = 10_000;

export function tokens(secret: Buffer): Tokens {
  // The library keeps what it makes of a key object; bytes it would import anew for every token.
  const key = createSecretKey(secret);
  // What a token says never changes, so that each is checked once; whether its session goes on is not in it, and asked every time.
  const sound = new LRUCache<string, Verified>({
    max: max_remembered,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
  });
  return {
    issue: async ({ session_id, subject, kind }, lifetime_seconds = token_lifetime_seconds) =>
      await new SignJWT({ kind })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(session_id)
        .setIssuedAt()
        .setExpirationTime(`${lifetime_seconds}s`)
        .sign(key),
    verify: async (token) => {
      // Ours are about 300 bytes; nothing larger is worth parsing.
      if (token.length > 2048) return undefined;
      const known = sound.get(token);
      if (known !== undefined) return known;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          audience,
          typ: type,
          maxTokenAge: token_lifetime_seconds,
        });
        const read = claims.safeParse(payload);
        if (!read.success) return undefined;
        const verified = { session_id: read.data.jti, subject: read.data.sub, kind: read.data.kind };
        sound.set(token, verified, { ttl: Math.max(1, read.data.exp * 1000 - Date.now()) });
        return verified;
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
