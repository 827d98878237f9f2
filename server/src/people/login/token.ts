// Access tokens: JWT HS256 (RFC 7519, 8725) under a separate derived key. A token identifies a caller and has no rights.
import { createSecretKey, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The spec's default token lifetime: 24 hours. */
export const token_lifetime_seconds = 24 * 60 * 60;
const issuer = 'gantry';
const audience = 'gantry-api';
const type = 'at+jwt'; // RFC 9068: it distinguishes access tokens from other tokens of this service

export interface Tokens {
  issue(whose: Verified, lifetime_seconds?: number): Promise<string>;
  /** Session and subject; undefined unless the token is valid, unexpired, of this service, and made for this way. */
  verify(token: string, way: Verified['way']): Promise<Verified | undefined>;
}

interface Verified {
  session_id: string;
  /** The id of a user or of a service principal. */
  subject: string;
  kind: 'user' | 'principal';
  /** The only way to send it. A browser sends a cookie to every port of the host, so another service there learns its value. */
  way: 'bearer' | 'cookie';
}

const claims = z.object({
  sub: z.uuid(),
  jti: z.uuid(),
  exp: z.number(),
  kind: z.enum(['user', 'principal']),
  way: z.enum(['bearer', 'cookie']),
});
const max_remembered = 10_000;

export function tokens(secret: Buffer): Tokens {
  // The library caches a key object; it would import raw bytes again for every token.
  const key = createSecretKey(secret);
  // The content of a token never changes, so each token is verified once. Its session is checked at every request.
  const sound = new LRUCache<string, Verified>({
    max: max_remembered,
    perf: { now: () => Date.now() },
    ttlResolution: 0,
  });
  const read = async (token: string): Promise<Verified | undefined> => {
    // Tokens of this service have about 300 bytes; a larger one is not parsed.
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
      const { success, data } = claims.safeParse(payload);
      if (!success) return undefined;
      const verified = { session_id: data.jti, subject: data.sub, kind: data.kind, way: data.way };
      sound.set(token, verified, { ttl: Math.max(1, data.exp * 1000 - Date.now()) });
      return verified;
    } catch {
      // Every fault gives the same answer: no token.
      return undefined;
    }
  };
  return {
    issue: async ({ session_id, subject, kind, way }, lifetime_seconds = token_lifetime_seconds) =>
      await new SignJWT({ kind, way })
        .setProtectedHeader({ alg: 'HS256', typ: type })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(session_id)
        .setIssuedAt()
        .setExpirationTime(`${lifetime_seconds}s`)
        .sign(key),
    verify: async (token, way) => {
      const verified = await read(token);
      return verified?.way === way ? verified : undefined;
    },
  };
}

export function newSessionId(): string {
  return randomUUID();
}
