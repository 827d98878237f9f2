import type { ProjectFile, ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import type { Finding } from '../finding.ts';
import { folderOf } from '../folders/path-inside.ts';
import { fault } from './fault.ts';

/** Reads the files that name dependencies, and records which ones. */
export interface ProjectReader {
  has(path: string): boolean;
  /** A file or a folder, which an archive need not list. */
  hasFolder(path: string): boolean;
  /** The folders that hold a file of this name. */
  foldersWith(name: string): string[];
  text(path: string): string | Finding;
  sources: string[];
}

export function projectReader(files: ProjectFiles): ProjectReader {
  const byPath = new Map<string, ProjectFile>(files.list().map((file) => [file.path, file]));
  const sources: string[] = [];
  let spent = 0;
  return {
    sources,
    has: (path) => byPath.has(path),
    hasFolder: (path) => path === '.' || [...byPath.keys()].some((other) => other.startsWith(`${path}/`)),
    foldersWith: (name) =>
      [...byPath.keys()].filter((path) => path === name || path.endsWith(`/${name}`)).map(folderOf),
    text: (path) => {
      const file = byPath.get(path);
      if (file === undefined) throw new RangeError(`no file ${path}`);
      if (!sources.includes(path)) sources.push(path);
      if (spent > most)
        return fault({ file: path }, 'file_too_large', 'The dependency files are too many or too long together', {
          suggestion: 'Name each file once, or merge them.',
        });
      const text = readText(files, file, max_bytes);
      if (typeof text === 'string') spent += text.length + text.split('\n').length * line_cost;
      return text;
    },
  };
}

/** In characters. Above the readers' limits, so that their findings are reported. */
const max_bytes = 16_000_000;

/** The total of all reads, repeats included. One file may exceed it, because its reader bounds it. */
const most = 6_000_000;

/** In characters. A short line costs as much as a long one. */
const line_cost = 50;
