// Requests to AWS, checked against the models of botocore. uv installs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';

const script = join(import.meta.dirname, 'aws_models.py');
const needed = ['--python', '>=3.10,<3.14', '--with', 'botocore==1.44.5', '--with', 'regex==2026.11.19'];

export interface AwsRequest {
  /** As botocore names it: `ecs`, `ecr`, `secretsmanager`, `logs`. */
  service: string;
  operation: string;
  input: object;
}

/** The faults of each request, in the same order. Throws when the check itself fails. */
export async function checkAgainstModels(requests: readonly AwsRequest[]): Promise<string[][]> {
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
    throw new Error(`the check of requests to AWS ended with ${child.exitCode} after ${answers.length} answers`);
  return answers.map((line) => z.array(z.string()).parse(JSON.parse(line)));
}
