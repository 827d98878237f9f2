import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../config.ts';
import { Refusal } from '../refusal.ts';

/** What a person makes of the text in the editor of their environment. */
export function openEditor({ environment }: Pick<Config, 'environment'>, name: string, before: string): string {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  // A folder of one's own, 0700: what is edited may not be everybody's to read.
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-edit-'));
  try {
    const file = path.join(folder, `${name}.yaml`);
    writeFileSync(file, before, { mode: 0o600 });
    // As every tool takes it: a program and its own flags, `code --wait`.
    const { status, error } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'svc', file], {
      stdio: 'inherit',
      env: environment,
    });
    if (error !== undefined || status !== 0)
      throw new Refusal('editor_failed', `${editor} did not end well; nothing was changed`, {
        hint: 'Set EDITOR, or give --file.',
      });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
