// Real weights of an embedding model from a package index (wordllama, 256 dimensions), which reranks as well, in a separate process. uv installs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';
import { freePort } from '../servers/free-port.ts';
import { answersAt } from '../servers/running.ts';

const script = join(import.meta.dirname, 'real_embeddings.py');
const needed = ['--python', '>=3.10,<3.14', '--with', 'wordllama==0.4.0.post1'];

export interface RealEmbeddings {
  host: string;
  base_url: string;
  stop(): Promise<void>;
}

export async function realEmbeddings(): Promise<RealEmbeddings> {
  const port = await freePort();
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  const command = ['run', '--no-project', '--quiet', ...needed, 'python', script, String(port)];
  const child = spawn(uv, command, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM'); // uv passes it on
    await ended;
  };
  // The first run installs the package.
  if (!(await answersAt(port, { child, seconds: 120 }))) {
    await end();
    throw new Error('the embedding model did not start');
  }
  const host = `127.0.0.1:${port}`;
  return { host, base_url: `http://${host}/v1`, stop: end };
}

/** Of a model in the catalogue whose vectors cost. */
export const embeddingConfig = (base_url: string) => ({
  provider: 'test',
  type: 'embedding',
  model: 'embed',
  base_url,
  price_usd_per_million: { input: '1' },
});
