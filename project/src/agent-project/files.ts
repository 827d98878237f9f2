export interface ProjectFile {
  /** Relative to the project, with slashes. */
  path: string;
  size: number;
  /** `other`: a link, a device, a pipe. */
  type: 'file' | 'directory' | 'other';
}

/** The files of a project from any place: a directory, an archive during unpacking, a test. */
export interface ProjectFiles {
  list(): readonly ProjectFile[];
  /** Called only for plain files from `list`. */
  read(path: string): Uint8Array;
}

export function filesFromMap(files: ReadonlyMap<string, Uint8Array | string>): ProjectFiles {
  const bytesOf = (content: Uint8Array | string): Uint8Array =>
    typeof content === 'string' ? encoder.encode(content) : content;
  return {
    list: () => [...files].map(([path, content]) => ({ path, size: bytesOf(content).length, type: 'file' })),
    read: (path) => {
      const content = files.get(path);
      if (content === undefined) throw new RangeError(`no file ${path}`);
      return bytesOf(content);
    },
  };
}

const encoder = new TextEncoder();
