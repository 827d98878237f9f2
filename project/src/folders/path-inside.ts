/**
 * `written` as a plain path, relative to the project and starting from `folder`; `.` is the project itself. Undefined outside the
 * project.
 */
export function pathInside(folder: string, written: string): string | undefined {
  if (/^[A-Za-z]:|^[/~]|[\\\u0000-\u001f\u007f]/.test(written) || written.length > longest) return undefined;
  const segments: string[] = [];
  for (const segment of `${folder}/${written}`.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length === 0 ? '.' : segments.join('/');
}

const longest = 1_000;

/** `.` is the project itself, and not a part of a path. */
export const joined = (folder: string, name: string): string => (folder === '.' ? name : `${folder}/${name}`);

/** The parent folder of a file or folder; the parent of `.` is `.`. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}
