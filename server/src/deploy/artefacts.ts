// Files of an instance for people and their tools: those of its target and the image's bill of materials. Their folder has the
// instance's name. None has a secret. Run by hand, the compose file of the local target starts a container without key or route.
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployParts, TargetName } from './parts.ts';
import { findTarget } from './targets/index.ts';
import type { Artefact, Place } from './targets/target.ts';

export async function writeArtefacts(
  parts: Pick<DeployParts, 'artefact_directory'>,
  name: string,
  artefacts: readonly Artefact[],
): Promise<void> {
  const folder = join(parts.artefact_directory, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { file, content } of artefacts) await replace(join(folder, file), content);
}

/** Removes an instance from its target, and its files from the disk. */
export async function releasePlace(
  parts: Pick<DeployParts, 'artefact_directory' | 'targets'>,
  { target, place, name }: { target: TargetName; place: Place | null; name: string },
  signal: AbortSignal,
): Promise<void> {
  if (place !== null) await findTarget(parts.targets, target).release(place, signal);
  await removeArtefacts(parts, name);
}

/** The instances with files on this disk. */
export async function namesOfArtefacts({
  artefact_directory,
}: Pick<DeployParts, 'artefact_directory'>): Promise<string[]> {
  await mkdir(artefact_directory, { recursive: true, mode: 0o700 });
  return await readdir(artefact_directory);
}

export async function removeArtefacts(
  { artefact_directory }: Pick<DeployParts, 'artefact_directory'>,
  name: string,
): Promise<void> {
  await rm(join(artefact_directory, name), { recursive: true, force: true });
}

// The rename prevents the reading of half a file.
async function replace(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
