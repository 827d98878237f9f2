// The files that somebody drops or chooses → the uploads of a base, with their paths. Hidden files are left out, as in `svc kb upload`.
import { pathOfUpload, whyNotUploaded } from '@gantry/contract/agents/knowledge-uploads.ts';
import { childrenOf, droppedEntries, fileOf } from '../../parts/browser/dropped-entries.ts';

export interface FileToSend {
  /** In the base. */
  path: string;
  file: File;
  /** Why it is not sent. */
  problem: string | undefined;
}

/** Call it in the event itself. */
export function droppedFiles(dropped: DataTransfer): () => Promise<FileToSend[]> {
  const given = droppedEntries(dropped);
  return async () => {
    const found: FileToSend[] = [];
    for (const { entry, file } of given) {
      if (entry?.isDirectory === true) await walk(entry as FileSystemDirectoryEntry, [], found);
      else if (file !== null && !isHidden(file.name)) found.push(toSend([file.name], file));
    }
    return found;
  };
}

/** Files, or those of one folder. The name of the folder is no part of their paths. */
export function chosenFiles(files: readonly File[]): FileToSend[] {
  return files.flatMap((file) => {
    const parts = file.webkitRelativePath === '' ? [file.name] : file.webkitRelativePath.split('/').slice(1);
    return parts.some(isHidden) ? [] : [toSend(parts, file)];
  });
}

async function walk(folder: FileSystemDirectoryEntry, above: readonly string[], found: FileToSend[]): Promise<void> {
  for (const entry of await childrenOf(folder)) {
    if (isHidden(entry.name)) continue;
    const parts = [...above, entry.name];
    if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, parts, found);
    else found.push(toSend(parts, await fileOf(entry as FileSystemFileEntry)));
  }
}

const isHidden = (name: string) => name.startsWith('.');

function toSend(parts: readonly string[], file: File): FileToSend {
  const path = pathOfUpload(parts);
  return { path, file, problem: whyNotUploaded(path, file.size) };
}
