import type { AgentConfig } from '@gantry/contract/agent-yaml.ts';
import type { Reader } from '../../database/database.ts';
import { contentDigest, sha256, type Dependencies, type Pin } from '../content.ts';
import * as contents from '../content-store.ts';
import * as store from '../store.ts';

export interface VersionContent {
  version_id: string;
  version: string;
  digest: string;
  config: AgentConfig;
  files: { path: string; bytes: Uint8Array }[];
  lock: string;
  python: string;
  base_image: string;
  dependencies: Dependencies;
  /** What its source distributions were built to. */
  wheels: { file: string; bytes: Uint8Array }[];
  references: Pin[];
}

/**
 * Everything a build needs of a version. Recomputes the digest over what it read: nothing is built but what the digest says, whatever
 * happened to the rows.
 */
export async function loadVersionContent(db: Reader, version_id: string): Promise<VersionContent> {
  const version = await store.versionById(db, version_id);
  const content = version && (await contents.content(db, version.digest));
  if (version === undefined || content === undefined) throw new Error(`there is no version ${version_id}`);
  if (contentDigest(content) !== version.digest)
    throw new Error(`the content of version ${version_id} is not what its digest says`);
  const files: VersionContent['files'] = [];
  for (const { path, sha256: hash } of content.manifest) files.push({ path, bytes: await loadFile(db, path, hash) });
  const wheels: VersionContent['wheels'] = [];
  for (const { file, sha256: hash } of content.dependencies.wheels ?? [])
    wheels.push({ file, bytes: await loadFile(db, file, hash) });
  const { lock, python, base_image, dependencies, pins } = content;
  return {
    version_id,
    version: version.version,
    digest: version.digest,
    config: agentConfigOf(content),
    files,
    lock,
    python,
    base_image,
    dependencies,
    wheels,
    references: pins,
  };
}

/** A version's config, lock and manifest without the files' bytes: what a comparison of two versions needs. */
export async function loadVersionSummary(db: Reader, version_id: string): Promise<contents.StoredContent> {
  const version = await store.versionById(db, version_id);
  const content = version && (await contents.content(db, version.digest));
  if (content === undefined) throw new Error(`there is no version ${version_id}`);
  return content;
}

/** What an agent's version says of itself. */
export async function loadAgentConfig(db: Reader, version_id: string): Promise<AgentConfig> {
  return agentConfigOf(await loadVersionSummary(db, version_id));
}

// Only agents have files to load and are deployed, and a push stores a config only after agentConfig accepted it.
function agentConfigOf({ config }: Pick<contents.StoredContent, 'config'>): AgentConfig {
  return config as unknown as AgentConfig;
}

async function loadFile(db: Reader, path: string, hash: string): Promise<Uint8Array> {
  const bytes = await contents.blob(db, hash);
  if (bytes === undefined) throw new Error(`the bytes of ${path} are gone`);
  if (sha256(bytes) !== hash) throw new Error(`the bytes of ${path} are not what was pushed`);
  return bytes;
}
