// Files that only their owner may read: sessions, the active team, the first admin's password.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Refusal } from '../refusal.ts';

/** Written beside and renamed, so that a crash leaves the old content or the new, never half of it. */
export function writePrivateFile(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  chmodSync(path.dirname(file), 0o700);
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, content, { mode: 0o600, flag: 'wx' });
  renameSync(beside, file);
}

/** Undefined when there is none. One that others may read is refused: what stands in it may be known to them. */
export function readPrivateFile(file: string): string | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  if ((mode & 0o077) !== 0) {
    throw new Refusal('file_not_private', `${file} can be read by others on this machine`, {
      hint: `Run \`chmod 600 ${file}\` if you trust who could read it; else delete it and run \`svc login\`.`,
    });
  }
  return readFileSync(file, 'utf8');
}

export function removePrivateFile(file: string): void {
  rmSync(file, { force: true });
}
