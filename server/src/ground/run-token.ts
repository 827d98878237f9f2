// A run token names the run of an agent. The ingress hands it to the container with each call, and the container sends it with the calls of that
// run. It is a JWT (RFC 7519) with HS256, under a key that no container has. A token proves nothing alone: the sender must also have the
// gateway key of the same revision.
import type { HiddenContent } from '@gantry/project/agent-yaml/tracing.ts';
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';

/** An asset between the end caller and the agent. */
export interface Link {
  id: string;
  /** agents/<name> or orchestrations/<name> */
  ref: string;
}

/** A KeyObject is several times faster than its bytes, and each call signs a token. */
export type RunKey = Buffer | KeyObject;

export interface RunClaims {
  agent_id: string;
  revision_id: string;
  /** The id of the revision's key. Null for a revision without one, whose token proves nothing. */
  key_id: string | null;
  run_id: string;
  /** The first run of a chain of calls. */
  root_run_id: string;
  /** The end caller: a user, a service principal, or an agent that called for itself. */
  caller_id: string;
  /** The assets through which the call came, nearest first. */
  chain: readonly Link[];
  trace_id: string;
  /** From the spans of the agent. */
  hidden: HiddenContent;
}

/** A run has no limit of its own. A later call counts as the agent's own. */
const longest_run_seconds = 24 * 60 * 60;

// The only header that is accepted, so a token cannot choose its algorithm.
const head = encode({ alg: 'HS256', typ: 'run+jwt' });

export function signRunToken(key: RunKey, claims: RunClaims, now_ms = Date.now()): string {
  const exp = Math.floor(now_ms / 1000) + longest_run_seconds;
  const signed = `${head}.${encode({ ...claims, exp })}`;
  return `${signed}.${signatureOf(key, signed)}`;
}

/** Undefined for a token that this key has not signed. */
export function readRunToken(
  key: RunKey,
  token: string,
  now_ms = Date.now(),
): { claims: RunClaims; is_expired: boolean } | undefined {
  const end = token.lastIndexOf('.');
  const signed = token.slice(0, Math.max(end, 0));
  const given = Buffer.from(token.slice(end + 1));
  const expected = Buffer.from(signatureOf(key, signed));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  if (!signed.startsWith(`${head}.`)) return undefined;
  // Signed by this service.
  const { exp, ...claims } = JSON.parse(
    Buffer.from(signed.slice(head.length + 1), 'base64url').toString(),
  ) as RunClaims & { exp: number };
  return { claims, is_expired: exp * 1000 <= now_ms };
}

function signatureOf(key: RunKey, signed: string): string {
  return createHmac('sha256', key).update(signed).digest('base64url');
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
