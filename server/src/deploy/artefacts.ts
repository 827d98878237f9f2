// A deploy writes two files for people and their tools: the compose file and the image's bill of materials. Their folder has the
// container's name. Neither has a secret. Run by hand, the compose file starts a container without key or route.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployParts } from './parts.ts';
import type { Place } from './targets/target.ts';

export async function writeArtefacts(
  parts: Pick<DeployParts, 'artefact_directory'>,
  place: Place,
  made: { compose_file: string; sbom: object },
): Promise<void> {
  const folder = join(parts.artefact_directory, place.container_name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replace(join(folder, 'compose.yaml'), made.compose_file);
  await replace(join(folder, 'sbom.cdx.json'), `${JSON.stringify(made.sbom, undefined, 2)}\n`);
}

/** Removes a place from its target, and its files from the disk. */
export async function releasePlace(
  parts: Pick<DeployParts, 'artefact_directory' | 'targets'>,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  await parts.targets[place.target].release(place, signal);
  await removeArtefacts(parts, place.container_name);
}

/** The containers with files on this disk. */
export async function namesOfArtefacts({
  artefact_directory,
}: Pick<DeployParts, 'artefact_directory'>): Promise<string[]> {
  await mkdir(artefact_directory, { recursive: true, mode: 0o700 });
  return await readdir(artefact_directory);
}

export async function removeArtefacts(
  { artefact_directory }: Pick<DeployParts, 'artefact_directory'>,
  container_name: string,
): Promise<void> {
  await rm(join(artefact_directory, container_name), { recursive: true, force: true });
}

// The rename prevents the reading of half a file.
async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
