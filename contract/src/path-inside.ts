/** The path that `written` names as seen from `folder`, in plain form; `.` is the project itself. Undefined where it leaves the project. */
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

/** `.` stands for the project itself and is no part of a path. */
export const joined = (folder: string, name: string): string => (folder === '.' ? name : `${folder}/${name}`);

/** The folder that holds this file or folder; `.` holds itself. */
export function folderOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}
