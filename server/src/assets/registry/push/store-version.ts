import type { AgentConfig } from '@gantry/project/agent-yaml.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { printRef } from '@gantry/contract/refs.ts';
import { visibilities, type Visibility } from '@gantry/contract/roles.ts';
import { entriesOf } from '../../../governance/access/acl.ts';
import { authorize, type Grant } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { change, type GovernedTx, type Note } from '../../../governance/access/change.ts';
import { shownVisibility, visibilityChanges } from '../../../governance/access/visibility.ts';
import { errorCode, unique_violation, type Database, type Tx } from '../../../ground/database/database.ts';
import type { Run } from '../../../ground/runs/run.ts';
import { setActions } from '../principals/entries.ts';
import { searchWords, type AssetRecord } from '../asset.ts';
import { contentDigest, type Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { findAgent, findVersion } from '../find.ts';
import { requireSameOwner } from '../assets/owner.ts';
import type { PushInput, PushResult } from './push-input.ts';
import { insertOwned } from '../assets/insert-owned.ts';
import * as store from '../store.ts';
import { versionFinal } from '../versions/version-final.ts';

/** The last step of a push: one transaction stores the asset (if new), the version and the audit entry. */
export async function storeVersion(
  db: Database,
  run: Run<PushInput>,
  caller: SignedInCaller,
  content: Content,
  source: string,
): Promise<PushResult> {
  const { input } = run;
  const { config } = input;
  const asset = await findAgent(db, config.name, caller);
  if (asset === undefined && input.asset_id !== null)
    throw new Problem('conflict', { detail: `agents/${config.name} was deleted while this push was running.` });
  const grant = decideAgain(caller, asset, input);
  const digest = contentDigest(content);
  const before = asset && (await findVersion(db, asset.id, config.version));
  if (before?.digest === digest) return { asset_id: before.asset_id, version_id: before.id, digest, unchanged: true };
  return await change(db, grant, asset === undefined ? 'asset.created' : 'version.pushed', async (tx, note) => {
    await run.settle(tx);
    await keepFiles(tx, content);
    await contents.insertContent(tx, { ...content, digest, source });
    const asset_id = asset?.id ?? (await createAgent(tx, note, input, caller));
    const version_id = await store.putVersion(tx, {
      asset_id,
      version: config.version,
      digest,
      state: 'draft',
      message: input.message,
      pushed_by: caller.id,
    });
    if (version_id === undefined) throw versionFinal({ kind: 'agent', name: config.name, version: config.version });
    if (asset !== undefined) await describeAsset(tx, note, run, { asset, version_id, config });
    note(
      { version: config.version, digest, before: before?.digest ?? null, message: input.message },
      { asset: printRef({ kind: 'agent', name: config.name }) },
    );
    return { asset_id, version_id, digest, unchanged: false };
  }).catch((error: unknown) => {
    if (errorCode(error) === unique_violation)
      throw new Problem('exists', { detail: `The name ${config.name} was taken while this push was running.` });
    throw error;
  });
}

function decideAgain(caller: SignedInCaller, asset: AssetRecord | undefined, input: PushInput): Grant {
  if (asset === undefined)
    return authorize(caller, 'asset.create', {
      kind: 'team',
      id: input.team_id,
      name: input.config.team,
      creating: `agents/${input.config.name}`,
    });
  const grant = authorize(caller, 'asset.write', asset);
  requireSameOwner(asset, input.config);
  return grant;
}

async function keepFiles(tx: Tx, { manifest, dependencies }: Content): Promise<void> {
  const hashes = [...manifest, ...(dependencies.wheels ?? [])].map((file) => file.sha256);
  if (!(await contents.keepBlobs(tx, hashes)))
    throw new Problem('conflict', { detail: 'The pushed files have expired. Push again.' });
}

async function createAgent(
  tx: GovernedTx,
  note: Note,
  { config, team_id, owner_id }: PushInput,
  maker: SignedInCaller,
): Promise<string> {
  const visibility = visibilityOf(config);
  const asset_id = await insertOwned(tx, maker, {
    kind: 'agent',
    name: config.name,
    team_id,
    owner_id,
    visibility,
    ...fieldsOf(config),
  });
  note({ owner_id, visibility });
  return asset_id;
}

// Lists, the search and the visibility follow the highest version; but a file can only narrow the visibility.
async function describeAsset(
  tx: GovernedTx,
  note: Note,
  run: Run,
  { asset, version_id, config }: { asset: AssetRecord; version_id: string; config: AgentConfig },
): Promise<void> {
  const { visibility: shown } = (await store.lockAsset(tx, asset.id)) ?? asset;
  // The asset may have been transferred or deleted since the decision.
  const now = await findAgent(tx, config.name, null);
  if (now?.id === asset.id) requireSameOwner(now, config);
  const latest = await store.version(tx, asset.id, 'latest');
  if (latest?.id !== version_id) return;
  const asked = config.access?.visibility === undefined ? shown : visibilityOf(config);
  const wider = visibilities.indexOf(asked) > visibilities.indexOf(shown);
  if (wider)
    run.notice(
      `The visibility stays ${shown}: agent.yaml can only narrow it. Grant more with: svc acl grant --asset ${asset.ref}`,
    );
  let visibility = shown;
  if (!wider && asked !== shown) {
    visibility = await narrow(tx, asset, asked);
    note({ visibility: { before: shown, after: visibility } });
  }
  await store.updateAsset(tx, asset.id, { visibility, ...fieldsOf(config) });
}

// Removes the entries outside this visibility. Entries with `admin` stay: a pusher may not remove them, and one may be the last.
async function narrow(tx: GovernedTx, asset: AssetRecord, asked: Visibility): Promise<Visibility> {
  for (const { principal, before, after } of visibilityChanges(await entriesOf(tx, asset.id), asset.team.id, asked))
    if (after.length === 0 && !before.includes('admin')) await setActions(tx, asset.id, principal, []);
  return shownVisibility(await entriesOf(tx, asset.id), asset.team.id);
}

function fieldsOf(config: AgentConfig): store.AssetFields {
  const described = { description: config.description ?? '', tags: config.tags ?? [], framework: config.framework };
  return { ...described, search: searchWords({ name: config.name, team: config.team, ...described }) };
}

function visibilityOf(config: AgentConfig): Visibility {
  const asked = config.access?.visibility ?? 'org';
  return asked === 'public' ? 'org' : asked;
}
