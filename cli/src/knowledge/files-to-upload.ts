// The files of a folder, or one file, with their paths in the base. Hidden files and links are left out: a link can lead anywhere on this machine.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathOfUpload, whyNotUploaded } from '@gantry/contract/agents/knowledge-uploads.ts';
import { misuse } from '../refusal.ts';

export interface FileToUpload {
  /** In the base. */
  path: string;
  /** On this machine. */
  file: string;
}

export interface FilesToUpload {
  files: FileToUpload[];
  /** With the reason. */
  refused: { path: string; problem: string }[];
}

/** `under` is a folder of the base. */
export function filesToUpload(given: string, under: string | undefined): FilesToUpload {
  const found = statSync(given, { throwIfNoEntry: false });
  if (found === undefined) throw misuse(`There is no file or folder ${given}`);
  const names = found.isDirectory() ? filesOf(given, '') : [path.basename(path.resolve(given))];
  const home = found.isDirectory() ? given : path.dirname(path.resolve(given));
  const chosen: FilesToUpload = { files: [], refused: [] };
  for (const name of names) {
    const at = pathOfUpload([...(under === undefined ? [] : [under]), name]);
    const file = path.join(home, name);
    const problem = whyNotUploaded(at, lstatSync(file).size);
    if (problem === undefined) chosen.files.push({ path: at, file });
    else chosen.refused.push({ path: at, problem });
  }
  return chosen;
}

function filesOf(folder: string, inner: string): string[] {
  return readdirSync(path.join(folder, inner), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (entry.name.startsWith('.')) return [];
      return entry.isDirectory() ? filesOf(folder, name) : entry.isFile() ? [name] : [];
    });
}
