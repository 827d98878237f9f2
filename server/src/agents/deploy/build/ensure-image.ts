// The image of a registered revision. When the engine has lost it, it is built again from the version's stored content and lock. Promise:
// the revision's image changes only in the transaction that records the rebuild.
import { Problem, type ProblemCode } from '@gantry/contract/problems.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import { systemCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import { sha256 } from '../../../assets/registry/content.ts';
import { findAssetById, findVersionById, type AssetRecord } from '../../../assets/registry/find.ts';
import { loadVersionContent, type VersionContent } from '../../../assets/registry/versions/load-version-content.ts';
import { insertEvent } from '../event-store.ts';
import { setLastExit, setRebuilding } from '../instance-store.ts';
import { keepLines, keptLogLimits } from '../log/keep-log.ts';
import type { DeployParts } from '../parts.ts';
import * as store from '../store.ts';
import type { LogLine } from '../targets/target.ts';

/** The id of the image, now in the engine. Throws `image_missing` when it cannot be rebuilt, and `engine_unavailable`. */
export async function ensureImage(
  parts: Pick<DeployParts, 'db' | 'builder'>,
  revision: store.RevisionRow,
  signal: AbortSignal,
): Promise<string> {
  if (await parts.builder.hasImage(revision.image, signal)) return revision.image;
  const asset = await findAssetById(parts.db, revision.agent_id, null);
  if (asset === undefined) throw new Error(`the agent of revision ${revision.id} is gone`);
  const { id: revision_id, agent_id, target } = revision;
  const about = { agent_id, target, revision_id };
  await setRebuilding(parts.db, revision_id, true);
  await insertEvent(parts.db, { ...about, kind: 'rebuilding', detail: 'The engine has lost its image.' });
  try {
    const image = await rebuild(parts, { asset, revision, signal });
    await insertEvent(parts.db, {
      ...about,
      kind: 'rebuilt',
      detail: `The image of ${revision.version} is there again.`,
    });
    return image;
  } catch (error) {
    const missing = imageMissing(error, { asset, revision });
    if (missing === undefined) throw error;
    // The status shows it until the next attempt.
    await setLastExit(parts.db, revision.id, `${missing.detail} ${missing.hint ?? ''}`);
    throw missing;
  } finally {
    await setRebuilding(parts.db, revision_id, false);
  }
}

interface Rebuilt {
  asset: AssetRecord;
  revision: store.RevisionRow;
}

async function rebuild(
  parts: Pick<DeployParts, 'db' | 'builder'>,
  of: Rebuilt & { signal: AbortSignal },
): Promise<string> {
  const { db } = parts;
  const { asset, revision } = of;
  const { id, version, version_id, digest } = revision;
  const content = await loadVersionContent(db, version_id);
  if (content.digest !== digest) throw new Error(`the version of revision ${id} has other content`);
  const before = revision.image;
  const after = await buildAgain(parts, { ...of, content });
  const grant = authorize(systemCaller('system.rebuild'), 'system.rebuild', asset);
  return await change(db, grant, 'revision.rebuilt', async (tx, note) => {
    // Another instance of the revision may have been first. Then all use its image.
    if (!(await store.setRevisionImage(tx, { id, before, after })))
      return (await store.revision(tx, id))?.image ?? after;
    note({ revision: id, version, digest, before, after, lock: `sha256:${sha256(content.lock)}` });
    return after;
  });
}

/** It belongs to no run, so its output is in the log of the agent, also when it fails. */
async function buildAgain(
  { db, builder }: Pick<DeployParts, 'db' | 'builder'>,
  { asset, revision, content, signal }: Rebuilt & { content: VersionContent; signal: AbortSignal },
): Promise<string> {
  const { id, version_id } = revision;
  const created_at = (await findVersionById(db, version_id))?.pushed_at ?? '';
  const lines: LogLine[] = [];
  let bytes = 0;
  const onLog = (line: string) => {
    bytes += Buffer.byteLength(line);
    if (bytes <= keptLogLimits.instance_bytes) lines.push({ at: new Date().toISOString(), stream: 'stdout', line });
  };
  try {
    const input = { agent: asset.name, team_id: asset.team.id, content, created_at, onLog, signal };
    return (await builder.build(input)).image;
  } finally {
    await keepLines(db, { instance_id: id, revision_id: id, agent_id: asset.id, n: null }, lines);
  }
}

/** Undefined when something else than the build failed. */
function imageMissing(error: unknown, { asset, revision }: Rebuilt): Problem | undefined {
  const hint = error instanceof Problem ? hints[error.code]?.(asset.name) : undefined;
  if (!(error instanceof Problem) || hint === undefined) return undefined;
  const why = error.detail.replace(/\.?$/, '.');
  return new Problem('image_missing', {
    detail: `The image of ${asset.ref}@${revision.version} is missing, and it cannot be rebuilt. ${why}`,
    hint,
    fields: { ...error.fields, image: revision.image, cause: error.code },
  });
}

const asNewVersion = () => 'Deploy its project as a new version: svc deploy --bump patch';
const again = (agent: string) => `Try again: svc start ${agent}`;

/** The way out, by cause. */
const hints: Partial<Record<ProblemCode, (agent: string) => string>> = {
  base_image_missing: (agent) =>
    `Restore the base image and run \`svc start ${agent}\`, or deploy its project as a new version: svc deploy --bump patch`,
  // The lock names files that the index no longer has.
  build_failed: asNewVersion,
  project_invalid: asNewVersion,
  index_unreachable: again,
  out_of_memory: again,
  disk_limit: again,
};
