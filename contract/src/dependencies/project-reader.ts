import type { ProjectFile, ProjectFiles } from '../agent-project/files.ts';
import { readText } from '../agent-project/read-text.ts';
import type { Finding } from '../finding.ts';

/** Reads the files that name dependencies, and notes which ones. */
export interface ProjectReader {
  has(path: string): boolean;
  /** A file or a folder, which an archive need not list. */
  hasFolder(path: string): boolean;
  text(path: string): string | Finding;
  sources: string[];
}

export function projectReader(files: ProjectFiles): ProjectReader {
  const byPath = new Map<string, ProjectFile>(files.list().map((file) => [file.path, file]));
  const sources: string[] = [];
  return {
    sources,
    has: (path) => byPath.has(path),
    hasFolder: (path) => path === '.' || [...byPath.keys()].some((other) => other.startsWith(`${path}/`)),
    text: (path) => {
      const file = byPath.get(path);
      if (file === undefined) throw new RangeError(`no file ${path}`);
      if (!sources.includes(path)) sources.push(path);
      return readText(files, file, longestBytes);
    },
  };
}

/** Above what the readers take, so that their own findings, in characters, are the ones that people see. */
const longestBytes = 16_000_000;
