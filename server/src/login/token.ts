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
  issue(user_id: string, session_id: string): Promise<string>;
  /** Session and user; undefined for anything but a sound, unexpired token of ours. */
  verify(token: string): Promise<Verified | undefined>;
}

interface Verified {
  session_id: string;
  user_id: string;
}

const claims = z.object({ sub: z.uuid(), jti: z.uuid(), exp: z.number() });
const most_remembered = 10_000;

export function tokens(secret: Buffer): Tokens {
  // The library keeps what it makes of a key object; bytes it would import anew for every token.
  const key = createSecretKey(secret);
  // What a token says never changes, so that each is checked once; whether its session goes on is not in it, and asked every time.
  const sound = new LRUCache<string, Verified>({
    max: most_remembered,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
  });
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
        const verified = { session_id: read.data.jti, user_id: read.data.sub };
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
