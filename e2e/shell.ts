// The terminal of a reader of the guide. It is one shell, so that variables and the folder of one line apply to the next.
import { randomUUID } from 'node:crypto';
import type { Installation } from './installation.ts';

export interface Shell {
  /** Both streams, as at a terminal. */
  type(line: string): Promise<{ code: number; output: string }>;
  close(): void;
}

const lives_ms = 3_600_000;

/** In the installation's folder, with the admin's home. Only its `svc` has the address of the service. */
export async function openShell(gantry: Installation): Promise<Shell> {
  const own = 'unset GANTRY_HOME XDG_CONFIG_HOME XDG_DATA_HOME; exec /bin/sh';
  const child = await gantry.begin(own, { timeout_ms: lives_ms });
  let ended = false;
  child.on('close', () => (ended = true));
  return {
    type: async (line) => {
      if (ended) throw new Error(`the shell has ended before: ${line}`);
      const end = randomUUID();
      let read = '';
      const { promise, resolve, reject } = Promise.withResolvers<{ code: number; output: string }>();
      const onData = (chunk: Buffer) => {
        read += chunk.toString();
        const [whole = '', code] = new RegExp(`${end} (\\d+)\\n$`).exec(read) ?? [];
        if (code !== undefined) resolve({ code: Number(code), output: read.slice(0, -whole.length) });
      };
      const onClose = () => reject(new Error(`the shell ended at: ${line}\n${read}`));
      child.stdout.on('data', onData);
      child.on('close', onClose);
      try {
        child.stdin.write(`{ ${line}\n} < /dev/null 2>&1; echo "${end} $?"\n`);
        return await promise;
      } finally {
        child.stdout.off('data', onData);
        child.off('close', onClose);
      }
    },
    close: () => void child.stdin.end(),
  };
}
