// What was dropped on a page: files, and folders as trees of entries.

/** Call it in the event itself: the browser forgets what was dropped when the event ends. */
export function droppedEntries(dropped: DataTransfer): { entry: FileSystemEntry | null; file: File | null }[] {
  return [...dropped.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
}

/** A browser gives a folder's children in parts, and an empty one at the end. */
export async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return children;
    children.push(...part);
  }
}

export const fileOf = async (entry: FileSystemFileEntry): Promise<File> =>
  await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
