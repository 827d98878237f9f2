// schemathesis makes requests from an OpenAPI document and checks the replies, in a separate process. uv installs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';

export interface FuzzPlan<Actor extends string> {
  url: string;
  /** Each request is sent once by each caller, in this order. */
  actors: Record<Actor, FuzzCaller>;
  seed: number;
  /** For each endpoint: this number of valid requests, and again of invalid ones. */
  examples: number;
  /** Existing values, by the name of a parameter or member, or by the path before the parameter. */
  known: Record<string, unknown[]>;
  /** Description → its canary string. */
  canaries: Record<string, string>;
  /** Packed projects in base64; sent whole and cut off. */
  archives: string[];
  /** The problems of a missing part, which may be answered with 503. */
  unavailable: string[];
  /** Endpoints that are not called. */
  excluded: string[];
}

interface FuzzCaller {
  token: string | null;
  /** The canaries that replies to this caller may contain. */
  may_read: string[];
}

export interface Fuzzed<Actor extends string> {
  /** Endpoint and caller → the fault. */
  faults: Record<string, string>;
  /** Caller → endpoint → status → count. */
  counts: Record<Actor, Record<string, Record<string, number>>>;
  /** Caller → the canaries in its replies. */
  shown: Record<Actor, string[]>;
}

const script = join(import.meta.dirname, 'fuzz.py');
const packages = ['--with', 'schemathesis==4.32.5'];

export async function fuzz<Actor extends string>(plan: FuzzPlan<Actor>, signal: AbortSignal): Promise<Fuzzed<Actor>> {
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  const child = spawn(uv, ['run', '--no-project', '--quiet', ...packages, 'python', script], { env, signal });
  const ended = once(child, 'close');
  child.stdin.end(JSON.stringify(plan));
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = (await ended) as unknown[];
  if (exit_code !== 0) throw new Error(`schemathesis ended with ${String(exit_code)}: ${complaint}`);
  return JSON.parse(printed) as Fuzzed<Actor>; // printed by the script
}
