// The packages' folders get our modes and one time, so that the same lock gives the same layer. The interpreter of the base image does it in
// the sandbox, and imports only its own modules: no code of a package runs. What an image must not have is refused by name.
import { Problem } from '@gantry/contract/problems.ts';
import { folders } from './installed.ts';

const exit_code = 72;
const mark = 'gantry: not taken: ';

/** Arguments: the limit of all sizes in bytes, and the folders. It changes only what differs, because each change copies a file of a lower layer. */
export const normalise = `
import os, stat, sys
limit, roots = int(sys.argv[1]), sys.argv[2:]
interpreter = os.path.realpath(sys.executable)
total = 0
def refuse(path, why):
    print(${JSON.stringify(mark)} + repr(path) + " " + why, file=sys.stderr, flush=True)
    sys.exit(${exit_code})
def leads_out(root, path):
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
    if target == root or target.startswith(root + "/"):
        return False
    return not (os.path.dirname(path) == "${folders.user}/bin" and os.path.basename(path).startswith("python") and os.path.realpath(path) == interpreter)
def check(root, path):
    global total
    found = os.lstat(path)
    kind = stat.S_IFMT(found.st_mode)
    if kind not in (stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK):
        refuse(path, "is neither a file nor a folder")
    if kind != stat.S_IFLNK and found.st_mode & 0o7000:
        refuse(path, "has a setuid, setgid or sticky bit")
    if os.listxattr(path, follow_symlinks=False):
        refuse(path, "has extended attributes")
    if kind == stat.S_IFREG and found.st_nlink > 1:
        refuse(path, "is a hard link")
    if kind == stat.S_IFLNK and leads_out(root, path):
        refuse(path, "is a link to the outside")
    total += found.st_size if kind == stat.S_IFREG else 0
    if total > limit:
        refuse(path, "exceeds the limit of %d bytes" % limit)
    if kind != stat.S_IFLNK:
        mode = 0o755 if kind == stat.S_IFDIR or found.st_mode & 0o111 else 0o644
        if stat.S_IMODE(found.st_mode) != mode:
            os.chmod(path, mode)
    if found.st_mtime_ns != 0:
        os.utime(path, ns=(0, 0), follow_symlinks=False)
def failed(error):
    raise error
for root in roots:
    for folder, names, files in os.walk(root, topdown=False, onerror=failed):
        for name in names + files:
            check(root, os.path.join(folder, name))
    check(root, root)
`;

/** Throws the script's refusal. Ignores every other failure. */
export function refuseNotTaken(result: { exit_code: number; stderr: string }): void {
  const line = result.stderr.split('\n').findLast((one) => one.startsWith(mark));
  if (result.exit_code !== exit_code || line === undefined) return;
  throw new Problem('build_failed', {
    detail: `The packages cannot be put into an image: ${line.slice(mark.length)}`,
    hint: 'Require another version of the package with this file.',
  });
}
