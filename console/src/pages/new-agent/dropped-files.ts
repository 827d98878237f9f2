// What was dropped or chosen → the entries of one project, and the name of its folder. A folder is walked as the CLI does: left-out folders are not opened.
import { isEnvironmentFile } from '@gantry/project/adoption/environment-files.ts';
import { leftOut } from '@gantry/project/agent-project/left-out.ts';
import { projectLimits } from '@gantry/project/agent-project/limits.ts';
import { childrenOf, droppedEntries, fileOf } from '../../parts/browser/dropped-entries.ts';
import { readZip, type Entry } from './read-zip.ts';

export interface Dropped {
  /** Empty where loose files were dropped. */
  folder: string;
  entries: Entry[];
}

/** Call it in the event itself: the browser forgets what was dropped when the event ends. */
export function readDrop(dropped: DataTransfer): () => Promise<Dropped> {
  const given = droppedEntries(dropped);
  return async () => {
    const files = given.flatMap(({ entry, file }) => (entry?.isDirectory === true || file === null ? [] : [file]));
    if (given.length === files.length) return await readChosen(files);
    const found: Entry[] = [];
    for (const { entry, file } of given) {
      if (entry?.isDirectory === true) await walk(entry as FileSystemDirectoryEntry, entry.name, found);
      else if (file !== null) found.push(entryOf(file, file.name));
    }
    return withoutTop(found);
  };
}

/** One zip, or the files of a folder. */
export async function readChosen(files: readonly File[]): Promise<Dropped> {
  const [first] = files;
  const isZip = files.length === 1 && first !== undefined && /\.zip$/i.test(first.name);
  if (isZip) {
    const { folder, entries } = withoutTop((await readZip(first)).filter(({ type }) => type !== 'directory'));
    // The zip of a repository names its branch.
    const named = (folder === '' ? first.name.replace(/\.zip$/i, '') : folder).replace(/-(?:main|master)$/, '');
    return { folder: named, entries };
  }
  return withoutTop(
    files.map((file) => entryOf(file, file.webkitRelativePath === '' ? file.name : file.webkitRelativePath)),
  );
}

async function walk(folder: FileSystemDirectoryEntry, path: string, found: Entry[]): Promise<void> {
  for (const entry of await childrenOf(folder)) {
    // One more than the limit is enough to refuse, so the walk of a home directory ends early.
    if (found.length > projectLimits.files) return;
    const inner = `${path}/${entry.name}`;
    // A left-out file that lists variables is read for their names.
    const isRead = leftOut(entry.name) === undefined || (entry.isFile && isEnvironmentFile(entry.name));
    if (!isRead) found.push({ path: inner, size: 0, type: 'file', read: nothing });
    else if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, inner, found);
    else found.push(entryOf(await fileOf(entry as FileSystemFileEntry), inner));
  }
}

const nothing = async () => new Uint8Array();

const entryOf = (file: File, path: string): Entry => ({
  path,
  size: file.size,
  type: 'file',
  read: async () => new Uint8Array(await file.arrayBuffer()),
});

/** Without the folder that holds everything, as zips and folders have it around the project. */
function withoutTop(entries: Entry[]): Dropped {
  const kept = entries.filter(({ path }) => leftOut(path) === undefined);
  const top = kept[0]?.path.split('/')[0];
  const isAround = top !== undefined && top !== '..' && kept.every(({ path }) => path.startsWith(`${top}/`));
  if (!isAround) return { folder: '', entries };
  const inside = entries.map((entry) =>
    entry.path.startsWith(`${top}/`) ? { ...entry, path: entry.path.slice(top.length + 1) } : entry,
  );
  return { folder: top, entries: inside };
}
