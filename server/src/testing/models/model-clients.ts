// The clients of Python agents, in a process of their own. uv installs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cloneEnvironment } from '../../../../setup/config.js';
import { ensureUv, uvEnvironment } from '../../../../setup/packages/python.js';

const script = join(import.meta.dirname, 'model-clients.py');
/** crewai needs older clients of the vendors. */
const packages = {
  newest: ['openai==3.54.0', 'anthropic==2.12.0', 'langchain-openai==1.7.3', 'langchain-anthropic==1.7.7'],
  gemini: ['google-genai[aiohttp]==2.34.0', 'langchain-google-genai==4.4.2'],
  ollama: ['ollama==0.6.3', 'langchain-ollama==1.1.0'],
  crewai: ['crewai[anthropic]==1.15.30'],
};

/** Client → way → answer. */
export async function callWithPythonClients(
  group: keyof typeof packages,
  { base_url, key }: { base_url: string; key: string },
): Promise<Record<string, Record<string, unknown>>> {
  const uv = await ensureUv(() => {});
  const env = cloneEnvironment(await uvEnvironment());
  // The bounds of crewai.
  const python = ['--python', '>=3.10,<3.14'];
  const needed = [...python, ...packages[group].flatMap((name) => ['--with', name])];
  const command = ['run', '--no-project', '--quiet', ...needed, 'python', script, group, base_url, key];
  const child = spawn(uv, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const [printed, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exit_code] = (await ended) as unknown[];
  if (exit_code !== 0) throw new Error(`the clients ended with ${String(exit_code)}: ${complaint}`);
  return JSON.parse(printed) as Record<string, Record<string, unknown>>; // printed by the script
}
