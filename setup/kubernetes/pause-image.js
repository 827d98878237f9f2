// @ts-check
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './execute.js';

/** @import { Cluster } from './layout.js' */

/** Every pod has a container of it. Its registry does not exist, so nobody tries to pull it. */
export const pauseImage = 'pause.invalid/pause:1';

/** The image as an archive that containerd imports. @param {Cluster} cluster @param {string} programs */
export async function writePauseImage(cluster, programs) {
  const folder = join(cluster.folder, 'pause');
  const archive = join(cluster.folder, 'pause.tar');
  const layer = join(folder, 'layer.tar');
  mkdirSync(folder, { recursive: true });
  cpSync(join(programs, 'pause'), join(folder, 'pause'));
  await execute(['tar', '--create', `--directory=${folder}`, '--owner=0', '--group=0', `--file=${layer}`, 'pause']);
  const digest = createHash('sha256').update(readFileSync(layer)).digest('hex');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const rootfs = { type: 'layers', diff_ids: [`sha256:${digest}`] };
  const config = { architecture, os: 'linux', config: { Entrypoint: ['/pause'] }, rootfs };
  const manifest = [{ Config: 'config.json', RepoTags: [pauseImage], Layers: ['layer.tar'] }];
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const files = ['manifest.json', 'config.json', 'layer.tar'];
  await execute(['tar', '--create', `--directory=${folder}`, `--file=${archive}`, ...files]);
  return archive;
}
