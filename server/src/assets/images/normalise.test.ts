// The script runs here on folders of this machine. In a sandbox it is the same text.
import { execFile } from 'node:child_process';
import { chmod, link, lstat, mkdir, mkdtemp, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folders } from './installed.ts';
import { normalise, refuseNotTaken } from './normalise.ts';

const run = promisify(execFile);
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gantry-normalise-'));
  await mkdir(join(root, 'bin'));
  await mkdir(join(root, 'lib'));
  await writeFile(join(root, 'lib/a.py'), 'a');
  await writeFile(join(root, 'bin/tool'), 'tool');
  await chmod(join(root, 'bin/tool'), 0o700);
  await symlink('lib', join(root, 'lib64'));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

async function normalised(limit_bytes = 1000): Promise<void> {
  const script = normalise.replaceAll(folders.user, root);
  try {
    await run('python3', ['-I', '-S', '-c', script, String(limit_bytes), root]);
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string }; // of execFile
    refuseNotTaken({ exit_code: code, stderr });
    throw error;
  }
}

const about = async (path: string) => {
  const { mode, mtimeMs } = await lstat(join(root, path));
  return `${(mode & 0o7777).toString(8)} ${mtimeMs}`;
};

test('folders, files and links get one time and our modes, and a second run changes nothing', async () => {
  await chmod(join(root, 'lib'), 0o777);
  await normalised();
  const all = { '.': '755 0', lib: '755 0', 'lib/a.py': '644 0', 'bin/tool': '755 0', lib64: '777 0' };
  for (const [path, expected] of Object.entries(all))
    expect(`${path} ${await about(path)}`).toBe(`${path} ${expected}`);
  const before = await lstat(join(root, 'lib/a.py'));
  await normalised();
  expect((await lstat(join(root, 'lib/a.py'))).ctimeMs).toBe(before.ctimeMs);
});

test('the link to the interpreter of the base image stays', async () => {
  const { stdout } = await run('python3', [
    '-I',
    '-S',
    '-c',
    'import os, sys; print(os.path.realpath(sys.executable))',
  ]);
  await symlink(stdout.trim(), join(root, 'bin/python'));
  await symlink('python', join(root, 'bin/python3'));
  await normalised();
  expect(await readlink(join(root, 'bin/python'))).toBe(stdout.trim());
});

const hostile: Record<string, [() => Promise<unknown>, RegExp]> = {
  'an absolute link': [
    async () => await symlink('/etc/shadow', join(root, 'lib/out')),
    /out' is a link to the outside/,
  ],
  'a link that climbs': [
    async () => await symlink('../../etc', join(root, 'lib/out')),
    /out' is a link to the outside/,
  ],
  'an interpreter elsewhere': [
    async () => await symlink('/bin/sh', join(root, 'bin/python')),
    /python' is a link to the outside/,
  ],
  'a hard link': [async () => await link(join(root, 'lib/a.py'), join(root, 'lib/b.py')), /\.py' is a hard link/],
  'a setuid file': [
    async () => await chmod(join(root, 'lib/a.py'), 0o4755),
    /a\.py' has a setuid, setgid or sticky bit/,
  ],
  'a setgid folder': [async () => await chmod(join(root, 'lib'), 0o2755), /lib' has a setuid, setgid or sticky bit/],
  'a pipe': [async () => await run('mkfifo', [join(root, 'lib/pipe')]), /pipe' is neither a file nor a folder/],
  'a device': [
    async () => await run('mknod', [join(root, 'lib/null'), 'c', '1', '3']),
    /null' is neither a file nor a folder/,
  ],
  'a huge sparse file': [
    async () => await truncate(join(root, 'lib/a.py'), 1e12),
    /a\.py' exceeds the limit of 1000000 bytes/,
  ],
};

test.each(Object.entries(hostile))('%s is refused by its path and the reason', async (_, [make, why]) => {
  await make();
  await expect(normalised(1e6)).rejects.toMatchObject({ code: 'build_failed', detail: expect.stringMatching(why) });
});

test('extended attributes are refused', async () => {
  const set = `import os, sys; os.setxattr(sys.argv[1], "user.hidden", b"x")`;
  await run('python3', ['-c', set, join(root, 'lib/a.py')]);
  await expect(normalised()).rejects.toMatchObject({ detail: expect.stringMatching(/a\.py' has extended attributes/) });
});

test('a text of another failure is no refusal', () => {
  expect(() => refuseNotTaken({ exit_code: 1, stderr: "gantry: not taken: 'a' is a hard link\n" })).not.toThrow();
});
