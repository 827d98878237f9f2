import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../server/src/ground/version.ts';
import { writeConfig } from '../../server/src/assets/images/image-config.ts';
import { writeLayer } from '../../server/src/assets/images/layer.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { addDebianFiles } from './debian-files.ts';
import { writeLayerFile, type Blob } from './layer-file.ts';
import { addNode, addPackages } from './npm-files.ts';
import { writeOciArchive } from './oci-archive.ts';
import { addOwnFiles } from './own-files.ts';
import { platforms, type PlatformName } from './platform.ts';

/** Nobody on a machine has it, and it is not root in a container without user namespaces. */
const user = 10001;
const home = 'opt/gantry';

export interface WrittenImage {
  /** `gantry:0.1.0` */
  name: string;
  /** The digest of the manifest. */
  digest: string;
  archive: string;
  bill_of_materials: string;
}

/** Writes the image of the control plane for one platform, and its bill of materials beside it. The same clone and packages give the same digest. */
export async function writeImage({
  clone,
  platform: platform_name,
  folder,
}: {
  clone: string;
  platform: PlatformName;
  folder: string;
}): Promise<WrittenImage> {
  const platform = platforms[platform_name];
  const name = `gantry:${version}`;
  await mkdir(folder, { recursive: true });
  // Not the machine's folder for temporary files, which may be in memory.
  const work = await mkdtemp(join(folder, '.unfinished-'));
  try {
    const [system, packages, own] = ['system', 'packages', 'own'].map((one) => join(work, one)) as [
      string,
      string,
      string,
    ];
    for (const one of [system, packages, own]) await mkdir(join(one, one === system ? '' : home), { recursive: true });
    const parts = [
      ...(await addDebianFiles(system, work, platform)),
      ...(await addNode(system, work, clone, platform)),
      ...(await addPackages(join(packages, home), clone, platform)),
    ];
    await addUser(system);
    await addOwnFiles(join(own, home), clone);
    const layers = [await dataLayer(work)];
    for (const one of [system, packages, own]) layers.push(await writeLayerFile(one, work));
    const file = join(folder, `gantry-${version}-${platform_name.replace('/', '-')}`);
    const config = configOf(
      platform.architecture,
      layers.map(({ digest }) => digest),
    );
    const archive = `${file}.tar`;
    const digest = await writeOciArchive(work, { config, layers, name, platform, output: archive });
    const bill_of_materials = `${file}.cdx.json`;
    await writeFile(bill_of_materials, billOfMaterials({ name, version, digest, parts }));
    return { name, digest, archive, bill_of_materials };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The folder of the data belongs to the user, and so does a new volume in its place. */
async function dataLayer(work: string): Promise<Blob> {
  const { diff_id, bytes } = writeLayer([{ folder: 'data', owner: user, files: new Map() }]);
  const path = join(work, 'data.tar');
  await writeFile(path, bytes);
  return { digest: diff_id, size: bytes.length, path };
}

/** Programs ask for the name of their user. */
async function addUser(system: string): Promise<void> {
  for (const folder of ['etc', 'run', 'tmp']) await mkdir(join(system, folder), { recursive: true });
  await writeFile(join(system, 'etc/passwd'), `root:x:0:0::/:/\ngantry:x:${user}:${user}::/data:/\n`);
  await writeFile(join(system, 'etc/group'), `root:x:0:\ngantry:x:${user}:\n`);
}

function configOf(architecture: string, diff_ids: string[]): Buffer {
  const below = { Os: 'linux', Architecture: architecture, RootFS: {}, Config: { Entrypoint: undefined } };
  return writeConfig(below, {
    env: {
      PATH: '/usr/local/bin',
      NODE_ENV: 'production',
      HOME: '/data',
      DATA_DIR: '/data',
      // The settings are in /etc/gantry/server.env.
      XDG_CONFIG_HOME: '/etc',
    },
    user: `${user}:${user}`,
    workdir: `/${home}`,
    cmd: ['/usr/local/bin/node', 'server/start.js', 'serve'],
    labels: {
      'org.opencontainers.image.title': 'gantry',
      'org.opencontainers.image.description': 'The control plane of Gantry: api, worker, ingress and gateway',
      'org.opencontainers.image.version': version,
    },
    diff_ids,
    contents: 'the control plane of Gantry',
  });
}
