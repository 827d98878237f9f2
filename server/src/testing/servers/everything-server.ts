// The public server of the protocol's authors for clients, in a process of its own. It speaks the generation of 2025.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';

export async function everythingServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const port = await freePort();
  const program = new URL(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js')).pathname;
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (text: Buffer) => (String(text).includes('listening') ? resolve() : undefined));
    child.once('exit', () => reject(new Error('the public server has ended')));
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
