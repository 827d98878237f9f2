// schemathesis, which makes requests from an OpenAPI document and holds the replies to it, in a process of its own. uv brings it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cloneEnvironment } from '../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../setup/python.js';

export interface FuzzPlan<Actor extends string> {
  url: string;
  /** Each request is sent as each of them, in this order. */
  actors: Record<Actor, FuzzCaller>;
  seed: number;
  /** For each endpoint, of what is as described and again of what is not. */
  examples: number;
  /** Values that exist, by the name of a parameter or member, or by the beginning of a path up to the parameter. */
  known: Record<string, unknown[]>;
  /** What it is → a string that stands for it. */
  canaries: Record<string, string>;
  /** Packed projects, base64; sent as they are and cut off. */
  archives: string[];
  /** The problems that stand for a part which is not there, and may be answered with 503. */
  unavailable: string[];
  /** Endpoints that are not asked. */
  excluded: string[];
}

interface FuzzCaller {
  token: string | null;
  /** The canaries that replies to this caller may hold. */
  may_read: string[];
}

export interface Fuzzed<Actor extends string> {
  /** Where and as whom → what was wrong. */
  faults: Record<string, string>;
  /** Caller → endpoint → status → how many. */
  counts: Record<Actor, Record<string, Record<string, number>>>;
  /** Caller → the canaries that replies to them held. */
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
