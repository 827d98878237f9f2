import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Installation, Typing } from './installation.ts';

export interface Terminal {
  press(keys: string): void;
  /** Waits until this text is on the screen, below the previously awaited text. */
  shows(text: string): Promise<void>;
  /** Everything drawn so far. */
  screen(): string;
  ended: Promise<number>;
}

export const key = { interrupt: '\u0003', down: '\u001b[B', enter: '\r' };

/** One command at a real terminal with a person: its environment does not reveal a program. */
export async function atTerminal(gantry: Installation, command: string, typing: Typing = {}): Promise<Terminal> {
  const kept = ['HOME', 'PATH', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'SERVICE_URL'].map((name) => `${name}="$${name}"`);
  const child = await gantry.begin(
    `exec env -i TERM=xterm ${kept.join(' ')} script -qefc 'stty cols 120 rows 40; exec ${command}' /dev/null`,
    typing,
  );
  let screen = '';
  let seen = 0;
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (screen += chunk.toString()));
  return {
    press: (keys) => void child.stdin.write(keys),
    shows: async (text) => {
      await expect.poll(() => screen.slice(seen), { timeout: 60_000, interval: 50 }).toContain(text);
      seen = screen.indexOf(text, seen) + text.length;
      // A freshly drawn prompt reads its keys a moment later.
      await delay(200);
    },
    screen: () => screen,
    ended: new Promise((done) => child.on('close', (code) => done(code ?? -1))),
  };
}
