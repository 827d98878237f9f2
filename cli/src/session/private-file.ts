// Files that only their owner can read: sessions, the active team, the first admin's password.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CliRefusal } from '../refusal.ts';

/** Written under another name and renamed, so that a crash leaves the old or the new content, never a part. */
export function writePrivateFile(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  chmodSync(path.dirname(file), 0o700);
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, content, { mode: 0o600, flag: 'wx' });
  renameSync(beside, file);
}

/** Undefined when there is none. A file is refused when others can read it. */
export function readPrivateFile(file: string): string | undefined {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  if ((mode & 0o077) !== 0) {
    throw new CliRefusal('file_not_private', `Other users of this machine can read ${file}`, {
      hint: `Run \`chmod 600 ${file}\` if you trust them; otherwise delete it and run \`svc login\`.`,
    });
  }
  return readFileSync(file, 'utf8');
}

export function removePrivateFile(file: string): void {
  rmSync(file, { force: true });
}
