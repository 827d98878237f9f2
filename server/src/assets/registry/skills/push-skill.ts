// A push of a skill. It has nothing to resolve, so the answer has the version, which is final from the start: nothing approves a skill by
// itself. An approval of an agent covers the skills that it pins. Must never happen: other content under a version's name.
import type { PushedSkill } from '@gantry/contract/assets/registry.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef, printVersionRef } from '@gantry/contract/refs.ts';
import type { Visibility } from '@gantry/contract/roles.ts';
import { authorize, Refusal, type Grant } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx } from '../../../governance/access/change.ts';
import { canRead } from '../../../governance/access/decide.ts';
import type { TeamSubject } from '../../../governance/access/subject.ts';
import { errorCode, unique_violation, type Database, type Reader } from '../../../ground/database/database.ts';
import { loadTeam } from '../../../people/principals/load-team.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { unpackSkill, type UnpackedSkill } from '../archive/unpack.ts';
import { searchWords, type AssetRecord } from '../asset.ts';
import { insertOwned } from '../assets/insert-owned.ts';
import { ownerOfNew } from '../assets/owner.ts';
import { configOnly, contentDigest, type Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { findAsset, findVersion } from '../find.ts';
import { holdAsset } from '../load-asset.ts';
import { shareOf, type PushPlaces } from '../push/push-places.ts';
import * as store from '../store.ts';
import { putFinal } from '../versions/put-final.ts';
import { versionFinal } from '../versions/version-final.ts';
import { versionOfPush } from './version-of-push.ts';

export interface SkillPush {
  name: string;
  version?: string | undefined;
  /** Of a new skill, as are owner and visibility. */
  team?: string | undefined;
  owner?: string | undefined;
  visibility: Visibility;
  message: string;
  archive: ReadableStream<Uint8Array>;
  signal: AbortSignal;
  /** The caller, read again when the last read is old. */
  callerNow: () => Promise<Caller>;
}

interface Parts {
  db: Database;
  places: PushPlaces;
}

export async function pushSkill({ db, places }: Parts, caller: Caller, push: SkillPush): Promise<PushedSkill> {
  const user = signedIn(caller);
  const { signal } = push;
  const asset = await pushable(db, user, push);
  return await places.push(shareOf(user, asset), { body: push.archive, signal }, async (packed) => {
    const unpacked = await unpackSkill(packed, push.name, signal);
    // The upload may have taken minutes. Meanwhile the sender may have lost every right, or the skill may be another's.
    const now = signedIn(await push.callerNow());
    const found = await pushable(db, now, push);
    const arrived = { ...push, ...unpacked };
    if (found === undefined) return await storeNew(db, now, arrived);
    return await storeVersion(db, now, { ...arrived, asset: found });
  });
}

/** Before the body is read: a caller without the right to push must not cost an unpack. Undefined: it will be a new skill. */
async function pushable(db: Reader, user: SignedInCaller, { name, team }: SkillPush): Promise<AssetRecord | undefined> {
  const asset = await findAsset(db, 'skill', name, user);
  if (asset === undefined) {
    authorizeNew(user, await loadTeam(db, requireTeam(name, team)), name);
    return undefined;
  }
  if (!canRead(user, asset)) {
    const problem = {
      code: 'exists' as const,
      reason: `The name ${asset.ref} is taken.`,
      hint: 'Choose another name.',
    };
    throw new Refusal(problem, 'asset.write', asset);
  }
  authorize(user, 'asset.write', asset);
  return asset;
}

function requireTeam(name: string, team: string | undefined): string {
  if (team !== undefined) return team;
  throw new Problem('invalid', {
    detail: `There is no skills/${name} yet, and no team is named for a new one.`,
    hint: `Name the team: svc skill push <folder> --team <team>`,
    errors: [{ pointer: '/team', message: 'is needed for a new skill' }],
  });
}

const authorizeNew = (user: SignedInCaller, team: TeamSubject, name: string): Grant =>
  authorize(user, 'asset.create', { ...team, creating: printRef({ kind: 'skill', name }) });

type Arrived = SkillPush & UnpackedSkill;

async function storeNew(db: Database, user: SignedInCaller, arrived: Arrived): Promise<PushedSkill> {
  const { name, visibility, config } = arrived;
  const team = await loadTeam(db, requireTeam(name, arrived.team));
  const grant = authorizeNew(user, team, name);
  const owner_id = await ownerOfNew(db, user, team, arrived.owner);
  const version = versionOfPush(arrived.version, config, undefined);
  const described = wordsOf(team.name, { name, description: config.description, tags: [] });
  return await change(db, grant, 'asset.created', async (tx, note) => {
    const of = { kind: 'skill' as const, name, team_id: team.id };
    const asset_id = await insertOwned(tx, user, { ...of, owner_id, visibility, ...described });
    const digest = await putFiles(tx, { asset_id, version, pushed_by: user.id, arrived });
    note({ version, digest, visibility, message: arrived.message }, { asset: printRef(of) });
    return pushed(arrived, { version, digest, unchanged: false, created: true });
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `The name ${printRef({ kind: 'skill', name })} is taken.` });
    throw error;
  });
}

async function storeVersion(
  db: Database,
  user: SignedInCaller,
  { asset, ...arrived }: Arrived & { asset: AssetRecord },
): Promise<PushedSkill> {
  const digest = contentDigest(contentOf(arrived));
  const newest = await findVersion(db, asset.id, 'latest');
  const version = versionOfPush(arrived.version, arrived.config, newest);
  const before = await findVersion(db, asset.id, version);
  const there = pushed(arrived, { version, digest, unchanged: true, created: false });
  if (before?.digest === digest) return there;
  if (before !== undefined) throw otherContent(arrived.name, version);
  const grant = authorize(user, 'asset.write', asset);
  return await change(db, grant, 'version.pushed', async (tx, note) => {
    const now = await holdAsset(tx, asset.id, user);
    // The skill may have been transferred since the decision, and another push may have been first.
    authorize(user, 'asset.write', now);
    const meanwhile = await findVersion(tx, asset.id, version);
    if (meanwhile !== undefined) throw otherContent(arrived.name, version);
    await putFiles(tx, { asset_id: asset.id, version, pushed_by: user.id, arrived });
    note({ version, digest, before: null, message: arrived.message });
    if ((await findVersion(tx, asset.id, 'latest'))?.version === version) await describe(tx, now, arrived);
    return { ...there, unchanged: false };
  });
}

/** Lists and the search follow the highest version. */
async function describe(tx: GovernedTx, asset: AssetRecord, { config }: Arrived): Promise<void> {
  const described = wordsOf(asset.team.name, { ...asset, description: config.description });
  await store.updateAsset(tx, asset.id, { visibility: asset.visibility, ...described });
}

function wordsOf(team: string, { name, description, tags }: Pick<AssetRecord, 'name' | 'description' | 'tags'>) {
  const described = { description, tags, framework: null };
  return { ...described, search: searchWords({ name, team, ...described }) };
}

interface Put {
  asset_id: string;
  version: string;
  pushed_by: string;
  arrived: Arrived;
}

async function putFiles(tx: GovernedTx, { arrived, ...version }: Put): Promise<string> {
  const { files, manifest, name, message } = arrived;
  const hashes = manifest.map(({ sha256 }) => sha256);
  const blobs = manifest.flatMap(({ path, sha256 }): [string, Uint8Array][] => {
    const bytes = files.get(path);
    return bytes === undefined ? [] : [[sha256, bytes]];
  });
  await contents.stageBlobs(tx, new Map(blobs));
  if (!(await contents.keepBlobs(tx, hashes))) throw new Error(`the files of skills/${name} were not stored`);
  const digest = await putFinal(tx, { ...version, message, content: contentOf(arrived) });
  if (digest === undefined) throw otherContent(name, version.version);
  return digest;
}

const contentOf = ({ config, manifest }: UnpackedSkill): Content => ({ ...configOnly(config, []), manifest });

function pushed(
  { name, manifest }: Arrived,
  { version, ...of }: Pick<PushedSkill, 'digest' | 'unchanged' | 'created'> & { version: string },
): PushedSkill {
  const files = manifest.map(({ path, size, sha256 }) => ({ path, bytes: size, sha256 }));
  return { ref: printVersionRef({ kind: 'skill', name, version }), ...of, files };
}

function otherContent(name: string, version: string): Problem {
  const hint = 'Push it as a new version: svc skill push <folder> --version <MAJOR.MINOR.PATCH>';
  return versionFinal({ kind: 'skill', name, version }, { hint });
}
