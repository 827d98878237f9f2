// `npm run image [-- linux/arm64]`: the image of the control plane, as a file for `docker load`, with its bill of materials.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isPlatform, platforms } from './platform.ts';
import { writeImage } from './write-image.ts';

const clone = resolve(import.meta.dirname, '../..');
const platform = process.argv[2] ?? 'linux/amd64';
if (isPlatform(platform)) {
  const written = await writeImage({ clone, platform, folder: join(clone, 'dist') });
  const megabytes = Math.round((await stat(written.archive)).size / 1e6);
  process.stdout.write(
    `${written.name} ${written.digest}\n${written.archive} (${megabytes} MB)\n${written.bill_of_materials}\n`,
  );
} else {
  process.stderr.write(`${platform} is none of ${Object.keys(platforms).join(', ')}\n`);
  process.exitCode = 1;
}
