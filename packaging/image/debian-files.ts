// The files below Node: a C library and a C++ library from Debian's packages, without a shell and without a package manager. apt verifies the
// signatures of the archive. It works in folders of its own, so the packages of the machine stay as they are.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Part, Platform } from './platform.ts';
import { run } from './run.ts';

const packages = ['libc6', 'libgcc-s1', 'libstdc++6'];

/** Node has its own tables for character sets and messages. */
const left_out = ['usr/lib/ARCH/gconv', 'usr/lib/ARCH/audit', 'usr/share/lintian', 'usr/share/gdb'];

const folders = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

/** Unpacks them into `root`. */
export async function addDebianFiles(root: string, work: string, { debian }: Platform): Promise<Part[]> {
  const apt = join(work, 'apt');
  for (const folder of ['state/lists/partial', 'cache/archives/partial', 'files'])
    await mkdir(join(apt, folder), { recursive: true });
  await writeFile(join(apt, 'status'), '');
  const options = [
    `APT::Architecture=${debian}`,
    `APT::Architectures=${debian}`,
    `Dir::State=${join(apt, 'state')}`,
    `Dir::State::status=${join(apt, 'status')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  await run('apt-get', [...options, '-q', 'update']);
  await run('apt-get', [...options, '-q', 'download', ...packages], join(apt, 'files'));
  const parts: Part[] = [];
  for (const file of (await readdir(join(apt, 'files'))).toSorted()) {
    const path = join(apt, 'files', file);
    await run('dpkg-deb', ['-x', path, root]);
    const [name = '', version = ''] = (await run('dpkg-deb', ['-W', '--showformat=${Package} ${Version}', path])).split(
      ' ',
    );
    const content = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${debian}`;
    parts.push({ purl, name, version, hash: { alg: 'SHA-256', content } });
  }
  for (const path of left_out)
    await rm(join(root, path.replace('ARCH', folders[debian])), { recursive: true, force: true });
  return parts;
}
