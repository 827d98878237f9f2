// What the runs of agents/waiter.py have begun, written down outside of the service and of the containers, as it happens.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { outsideMachine } from './outside-machine.ts';

export interface Begun {
  call: string;
  run_id: string;
  /** The first twelve characters of its id. */
  container: string;
  /** The time by this machine's clock, in milliseconds. */
  at: number;
}

export interface Journal {
  /** As `host:port`. */
  address: string;
  begun: readonly Begun[];
  stop(): Promise<void>;
}

const port = 9999;

// Writes down first, then keeps the agent waiting. A killed container breaks its connections, and leaves no half line: a line is one write.
const server = `
const [address, port] = process.argv.slice(1);
require('node:net').createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (line) => {
    const { wait_ms, ...begun } = JSON.parse(String(line));
    console.log(JSON.stringify({ ...begun, at: Date.now() }));
    setTimeout(() => socket.end('done\\n'), wait_ms);
  });
}).listen(Number(port), address, () => console.log('{}'));
`;

export async function openJournal(): Promise<Journal> {
  const machine = await outsideMachine();
  const process_ = machine.spawn([process.execPath, '-e', server, machine.address, String(port)], {});
  let isListening = false;
  const begun: Begun[] = [];
  createInterface({ input: process_.stdout }).on('line', (line) => {
    if (isListening) begun.push(JSON.parse(line) as Begun);
    isListening = true;
  });
  let said = '';
  process_.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const stop = async () => {
    process_.kill();
    if (process_.exitCode === null && process_.signalCode === null) await once(process_, 'exit');
    await machine.remove();
  };
  await vi
    .waitUntil(() => isListening, { timeout: 10_000 })
    .catch(async (cause: unknown) => {
      await stop();
      throw new Error(`the journal does not listen: ${said}`, { cause });
    });
  return { address: `${machine.address}:${port}`, begun, stop };
}
