import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { contentDigest, sha256, type Dependencies, type Pin } from '../content.ts';
import * as contents from '../content-store.ts';
import { pinnedSkills } from '../skills/pinned-skills.ts';
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
  /** Null until it is looked up, for content of schema 1. */
  base_pin: string | null;
  dependencies: Dependencies;
  /** The wheels built from its source distributions. */
  wheels: { file: string; bytes: Uint8Array }[];
  references: Pin[];
  /** The files of its pinned skills, each below the name of its skill. */
  skills: { path: string; bytes: Uint8Array }[];
}

/**
 * The build input of a version. Recomputes the digest over everything it read, so a build never uses rows that differ from the
 * digest.
 */
export async function loadVersionContent(db: Reader, version_id: string): Promise<VersionContent> {
  const version = await store.versionById(db, version_id);
  const content = version && (await contents.content(db, version.digest));
  if (version === undefined || content === undefined) throw new Error(`there is no version ${version_id}`);
  if (contentDigest(content) !== version.digest)
    throw new Error(`the content of version ${version_id} does not match its digest`);
  const files: VersionContent['files'] = [];
  for (const { path, sha256: hash } of content.manifest) files.push({ path, bytes: await loadFile(db, path, hash) });
  const wheels: VersionContent['wheels'] = [];
  for (const { file, sha256: hash } of content.dependencies.wheels ?? [])
    wheels.push({ file, bytes: await loadFile(db, file, hash) });
  const skills: VersionContent['skills'] = [];
  for (const { name, manifest } of await pinnedSkills(db, content.pins))
    for (const { path, sha256: hash } of manifest)
      skills.push({ path: `${name}/${path}`, bytes: await loadFile(db, `skills/${name}/${path}`, hash) });
  const { lock, python, base_image, base_pin, dependencies, pins } = content;
  return {
    version_id,
    version: version.version,
    digest: version.digest,
    config: agentConfigOf(content),
    files,
    lock,
    python,
    base_image,
    base_pin,
    dependencies,
    wheels,
    references: pins,
    skills,
  };
}

/** A version's config, lock and manifest without the files' bytes, for a comparison of two versions. */
export async function loadVersionSummary(db: Reader, version_id: string): Promise<contents.StoredContent> {
  const version = await store.versionById(db, version_id);
  const content = version && (await contents.content(db, version.digest));
  if (content === undefined) throw new Error(`there is no version ${version_id}`);
  return content;
}

/** The agent.yaml of a version. */
export async function loadAgentConfig(db: Reader, version_id: string): Promise<AgentConfig> {
  return agentConfigOf(await loadVersionSummary(db, version_id));
}

/** The same for many versions, by version id. */
export async function loadAgentConfigs(db: Reader, version_ids: readonly string[]): Promise<Map<string, AgentConfig>> {
  if (version_ids.length === 0) return new Map();
  const rows = await contents.configs(db, version_ids);
  return new Map(rows.map((row) => [row.version_id, agentConfigOf(row)]));
}

/** Only agents have deploys, and a push stores a config only after agentConfig accepted it. */
export function agentConfigOf({ config }: Pick<contents.StoredContent, 'config'>): AgentConfig {
  return config as unknown as AgentConfig;
}

async function loadFile(db: Reader, path: string, hash: string): Promise<Uint8Array> {
  const bytes = await contents.blob(db, hash);
  if (bytes === undefined) throw new Error(`the bytes of ${path} are missing`);
  if (sha256(bytes) !== hash) throw new Error(`the bytes of ${path} differ from the push`);
  return bytes;
}
