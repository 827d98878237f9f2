// Node and the packages of the server, as the lock file has them. No script of a package runs.
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Part, Platform } from './platform.ts';
import { run } from './run.ts';

const manifest = z.object({ workspaces: z.array(z.string()) });
const serverManifest = z.object({ dependencies: z.object({ node: z.string() }) });
const installedPackages = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional(), link: z.boolean().optional() }),
  ),
});

/** Installs the packages of the server into `<home>/node_modules`. */
export async function addPackages(home: string, clone: string, { npm }: Platform): Promise<Part[]> {
  const { workspaces } = manifest.parse(JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')));
  const described = ['package.json', 'package-lock.json', ...workspaces.map((one) => `${one}/package.json`)];
  for (const file of described) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await copyFile(join(clone, file), join(home, file));
  }
  // The optional packages are the embedded PostgreSQL and a compiler's work.
  const ways = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['ci', '--workspace=server', ...ways, '--os=linux', `--cpu=${npm}`, '--libc=glibc'], home);
  const record = join(home, 'node_modules/.package-lock.json');
  const { packages } = installedPackages.parse(JSON.parse(await readFile(record, 'utf8')));
  await rm(record);
  // A workspace keeps the packages that only it has.
  for (const file of described) await rm(join(home, file));
  return Object.entries(packages).flatMap(([path, { version, integrity, link }]) => {
    const name = path.replace(/^.*node_modules\//, '');
    if (link === true || version === undefined || integrity === undefined) return [];
    return [npmPart(name, version, integrity)];
  });
}

/** Adds the program of Node for that platform. */
export async function addNode(root: string, work: string, clone: string, { npm }: Platform): Promise<Part[]> {
  const { dependencies } = serverManifest.parse(JSON.parse(await readFile(join(clone, 'server/package.json'), 'utf8')));
  const [name, version] = [`node-linux-${npm}`, dependencies.node];
  const folder = join(work, 'node');
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', `${name}@${version}`, '--ignore-scripts', '--silent'], folder);
  const [file = ''] = await readdir(folder);
  const bytes = await readFile(join(folder, file));
  await run('tar', ['--extract', '--file', file], folder);
  await mkdir(join(root, 'usr/local/bin'), { recursive: true });
  await copyFile(join(folder, 'package/bin/node'), join(root, 'usr/local/bin/node'));
  await cp(join(folder, 'package/LICENSE'), join(root, 'usr/share/doc/node/LICENSE'));
  return [npmPart(name, version, `sha512-${createHash('sha512').update(bytes).digest('base64')}`)];
}

function npmPart(name: string, version: string, integrity: string): Part {
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { purl, name, version, hash: { alg: 'SHA-512', content } };
}
