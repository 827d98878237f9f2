// A small separate process sets the firewall rules. At the start of a program, the kernel copies the memory map of the starting
// process. In the service, that copy delays every call. In a shell of 1 MB it delays none. The shell ends with its standard input,
// so a killed service leaves no shell. The next rules replace a shell that has ended.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { unlessAborted } from './client.ts';

export interface Firewall {
  /**
   * Applies all of these lines of iptables-restore to the filter table, or none. False when a rule or a chain in a line is missing.
   * Throws the program's first output line for every other failure.
   */
  restore(lines: readonly string[], signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Starts the shell. It must be early, while the service's process is small. */
export function openFirewall(): Firewall {
  let shell = startShell();
  return {
    async restore(lines, signal) {
      if (shell.hasEnded()) shell = startShell();
      const answer = await unlessAborted(shell.run(lines), signal);
      const [status, reason] = [answer.split(' ', 1)[0], answer.replace(/^\d+ /, '')];
      if (status === '0' || status === missing_rule) return status === '0';
      throw new Error(status === missing_program ? 'iptables is not installed' : reason);
    },
    close: () => shell.close(),
  };
}

const missing_rule = '1';
const missing_program = '127';
const answer_ms = 15_000;

// Reads rules until their COMMIT, and answers with one line: the exit status and the first line of the output.
const script = `
rules=
while IFS= read -r line; do
  rules="$rules$line
"
  [ "$line" = COMMIT ] || continue
  printed=$(printf %s "$rules" | iptables-restore --noflush --wait 5 2>&1)
  echo "$? \${printed%%
*}"
  rules=
done`;

interface Shell {
  run(lines: readonly string[]): Promise<string>;
  hasEnded(): boolean;
  close(): void;
}

function startShell(): Shell {
  // In a separate process group, so that a kill of the shell also ends a hanging program.
  const child = spawn('sh', ['-c', script], { cwd: '/', detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting: PromiseWithResolvers<string>[] = [];
  let ended: Error | undefined;
  const end = (reason: Error) => {
    ended ??= reason;
    for (const one of waiting.splice(0)) one.reject(ended);
  };
  child.once('error', end);
  child.once('close', () => end(new Error('the process that sets them ended')));
  // 'close' reports the end.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  return {
    async run(lines) {
      if (ended !== undefined) throw ended;
      const answer = Promise.withResolvers<string>();
      waiting.push(answer);
      child.stdin.write(['*filter', ...lines, 'COMMIT', ''].join('\n'));
      const timer = setTimeout(() => {
        end(new Error(`iptables-restore did not end within ${answer_ms / 1000} s`));
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      }, answer_ms);
      return await answer.promise.finally(() => clearTimeout(timer));
    },
    hasEnded: () => ended !== undefined,
    close: () => void child.stdin.end(),
  };
}
