import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Config } from '../config.ts';
import { CliRefusal } from '../refusal.ts';

/** The text after the user's editor. */
export function openEditor({ environment }: Pick<Config, 'environment'>, name: string, before: string): string {
  const editor = environment['VISUAL'] || environment['EDITOR'] || 'vi';
  // A folder of its own, 0700: others may not read the text.
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-edit-'));
  try {
    const file = path.join(folder, `${name}.yaml`);
    writeFileSync(file, before, { mode: 0o600 });
    // As in other tools: a program with its flags, `code --wait`.
    const { status, error } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'svc', file], {
      stdio: 'inherit',
      env: environment,
    });
    if (error !== undefined || status !== 0)
      throw new CliRefusal('editor_failed', `${editor} failed; nothing was changed`, {
        hint: 'Set EDITOR, or give --file.',
      });
    return readFileSync(file, 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
