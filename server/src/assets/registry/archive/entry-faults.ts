// The faults of an archive's entries, found in their headers alone (threats T59, T60).
import { leftOut } from '@gantry/project/agent-project/left-out.ts';
import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import type { ReadEntry } from 'tar';

export interface EntryFaults {
  /** The path of an accepted entry; undefined for a faulty one. */
  check(entry: ReadEntry): string | undefined;
  /** The raw text of an extension header (PAX, GNU long name). */
  checkExtension(text: string): void;
  add(file: string, message: string): void;
  /** Throws `archive_unsafe` when there is a fault. */
  raise(): void;
}

// A hostile archive can have a fault per entry; a report of that length helps nobody.
const most = 100;

export function entryFaults(): EntryFaults {
  const faults: Fault[] = [];
  const seen = new Seen();
  const add = (file: string, message: string) => {
    if (faults.length < most) faults.push(file === '' ? { message } : { file, message });
  };
  return {
    add,
    check(entry) {
      const path = entry.path.replace(/^(?:\.\/)+/, '').replace(/\/$/, '');
      if (entry.type === 'Directory' && (path === '' || path === '.')) return undefined;
      const fault =
        kindFault(entry) ?? pathFault(path) ?? refusedFault(path) ?? seen.fault(path, entry.type === 'Directory');
      if (fault === undefined) return path;
      add(path, fault);
      return undefined;
    },
    checkExtension(text) {
      // GNU's sparse files unpack to other bytes than their header announces. Readers disagree about the bytes after a NUL.
      if (/^\d+ GNU\.sparse\./m.test(text)) add('', 'Sparse files are not accepted');
      if (text.replace(/\0$/, '').includes('\0')) add('', 'An extension header holds a NUL character');
      if (/^\d+ (?:type|linkpath)=/m.test(text)) add('', 'An extension header has a field of a link');
    },
    raise() {
      const [first] = faults;
      if (first === undefined) return;
      const place = first.file === undefined ? '' : `${first.file}: `;
      const others = faults.length === 1 ? '' : ` And ${faults.length - 1} more.`;
      throw new Problem('archive_unsafe', { detail: `${place}${first.message}.${others}`, errors: faults });
    },
  };
}

function kindFault(entry: ReadEntry): string | undefined {
  if (entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'Directory') return undefined;
  if (entry.type === 'SymbolicLink' || entry.type === 'Link')
    return `Links are not accepted (it points at ${entry.linkpath})`;
  return `An entry of the kind ${entry.type} is not accepted; only files and directories are`;
}

function pathFault(path: string): string | undefined {
  const bytes = Buffer.byteLength(path);
  if (bytes > projectLimits.path_bytes)
    return `The path has ${bytes} bytes; at most ${projectLimits.path_bytes} are accepted`;
  if (path.startsWith('/')) return 'The path is absolute';
  if (/^[a-z]:/i.test(path)) return 'The path names a drive';
  if (path.includes('\\')) return 'The path holds a backslash';
  // A path that is not valid UTF-8 contains the replacement character.
  if (/[\u0000-\u001f\u007f\ufffd\ufffe\uffff\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u.test(path))
    return 'The path holds a character that is not accepted';
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return 'The path has an empty, . or .. segment';
  if (segments.length > projectLimits.depth)
    return `The path has ${segments.length} levels; at most ${projectLimits.depth} are accepted`;
  return undefined;
}

function refusedFault(path: string): string | undefined {
  // On a file system that ignores case, `.ENV` is `.env`.
  const rule = [path, path.toLowerCase()].map(leftOut).find((found) => found?.on_server === 'refused');
  return rule && `${rule.segment} is not accepted: it ${rule.why.startsWith('may') ? rule.why : `is ${rule.why}`}`;
}

/** The paths so far, compared as the most tolerant file system compares them. */
class Seen {
  private readonly entries = new Map<string, { path: string; directory: boolean }>();

  fault(path: string, directory: boolean): string | undefined {
    const parents = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parents.length; depth++) {
      const fault = this.put(parents.slice(0, depth).join('/'), true, true);
      if (fault !== undefined) return fault;
    }
    return this.put(path, directory, directory);
  }

  private put(path: string, directory: boolean, repeatable: boolean): string | undefined {
    const key = path.normalize('NFKC').toLowerCase();
    const before = this.entries.get(key);
    if (before === undefined) {
      this.entries.set(key, { path, directory });
      return undefined;
    }
    if (before.path !== path) return `It is the same file as ${before.path} on some systems`;
    if (before.directory !== directory) return 'It is both a file and a directory';
    return repeatable ? undefined : 'It is in the archive twice';
  }
}
