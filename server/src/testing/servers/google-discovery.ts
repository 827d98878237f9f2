// Requests to Google, checked against the descriptions of its APIs. uv installs the package that has them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { pathOf } from '../../agents/deploy/targets/gcp/google.ts';
import { methods } from '../../agents/deploy/targets/gcp/methods.ts';
import type { GoogleRequest } from '../../agents/deploy/targets/gcp/requests.ts';

const script = join(import.meta.dirname, 'google_discovery.py');
const needed = ['--python', '>=3.10,<3.14', '--with', 'google-api-python-client==2.202.0'];

/** As it is sent. */
export interface SentToGoogle {
  method: string;
  verb: string;
  /** With its query. */
  path: string;
  body?: object | undefined;
}

export const asSent = (request: GoogleRequest): SentToGoogle => ({
  method: request.method,
  verb: methods[request.method].verb,
  path: pathOf(request),
  body: request.body,
});

/** The faults of each request, in the same order. Throws when the check itself fails. */
export async function checkAgainstDiscovery(requests: readonly SentToGoogle[]): Promise<string[][]> {
  const uv = await ensureUv(() => {});
  const command = ['run', '--no-project', '--quiet', ...needed, 'python', script];
  const env = cloneEnvironment(await uvEnvironment());
  const child = spawn(uv, command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  await closed;
  const answers = output.split('\n').filter(Boolean);
  if (child.exitCode !== 0 || answers.length !== requests.length)
    throw new Error(`the check of requests to Google ended with ${child.exitCode} after ${answers.length} answers`);
  return answers.map((line) => z.array(z.string()).parse(JSON.parse(line)));
}
