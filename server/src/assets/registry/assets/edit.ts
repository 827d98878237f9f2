import type { ConfigOnlyKind } from '@gantry/contract/assets/asset-kinds.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { Database } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { searchWords, type AssetRecord } from '../asset.ts';
import { configOnly, contentDigest, type Content } from '../content.ts';
import * as contents from '../content-store.ts';
import { findVersion } from '../find.ts';
import { holdAsset, loadAsset } from '../load-asset.ts';
import { refuseWhileCalled, type FindNamedUsers } from '../references/in-use.ts';
import { pinReferences } from '../references/pin-references.ts';
import type { RuleThread } from '../call-rules/rule-thread.ts';
import { requireRuleTests } from '../call-rules/require-rule-tests.ts';
import { readDescribed, type Described } from './described-by-config.ts';
import { authorizeBilling } from './model-billing.ts';
import { requireFreeNames } from './model-names.ts';
import { requireSameOwner } from './owner.ts';
import { authorizeTargetChange } from './target-change.ts';
import { putFinal } from '../versions/put-final.ts';
import type { Config } from '../read-config.ts';
import { referencesOfConfig } from '../references/references.ts';
import * as store from '../store.ts';
import { versionFinal } from '../versions/version-final.ts';

export interface Edit {
  /** The version of the new config. */
  version?: string | undefined;
  description?: string | undefined;
  tags?: string[] | undefined;
  config?: Config | undefined;
}

type Words = Pick<AssetRecord, 'description' | 'tags'>;
type Named = { kind: ConfigOnlyKind; name: string };

/** Words change at once; another config becomes a new version. An unchanged config changes nothing. */
export async function edit(
  { db, rules, findNamedUsers }: { db: Database; rules: RuleThread; findNamedUsers: FindNamedUsers },
  caller: Caller,
  ref: Named,
  edited: Edit,
): Promise<void> {
  const user = signedIn(caller);
  const asset = await loadAsset(db, ref, caller);
  const grant = authorize(user, 'asset.write', asset);
  authorizeTargetChange(user, ref.kind);
  const next = await contentOf(db, user, asset, ref, edited);
  if (next !== undefined) await requireRuleTests(rules, user, { ...ref, config: next.content.config });
  authorizeBilling(user, asset.team, { kind: ref.kind, config: next?.content.config });
  if (ref.kind === 'model' && next?.content.config !== undefined)
    await requireFreeNames(db, user, { ...asset, config: next.content.config });
  await change(db, grant, 'asset.changed', async (tx, note) => {
    const now = await holdAsset(tx, asset.id, caller);
    // The asset may have been transferred since the decision.
    authorize(user, 'asset.write', now);
    authorizeBilling(user, now.team, { kind: ref.kind, config: next?.content.config });
    const newest = next && (await findVersion(tx, asset.id, 'latest'));
    if (newest !== undefined)
      authorizeBilling(user, now.team, { kind: ref.kind, config: await contents.config(tx, newest.digest) });
    if (next?.described !== undefined) requireSameOwner(now, next.described);
    if (next !== undefined) {
      const { version, content } = next;
      const digest = contentDigest(content);
      const before = await findVersion(tx, asset.id, version);
      if (before !== undefined && before.digest !== digest) throw versionFinal({ ...ref, version });
      if (before === undefined) {
        // Their containers are at the address, and their secrets were sent there by its approvals.
        if (ref.kind === 'target')
          await refuseWhileCalled({ db: tx, findNamedUsers }, user, { asset: now, force: false });
        await putFinal(tx, { asset_id: asset.id, version, content, pushed_by: user.id });
        note({ version, digest });
      }
    }
    const words = wordsAfter(edited, next?.described, now);
    if (same(words, now)) return;
    const search = searchWords({ ...now, team: now.team.name, ...words });
    await store.updateAsset(tx, asset.id, { ...words, framework: null, visibility: now.visibility, search });
    note({ before: { description: now.description, tags: now.tags }, after: words });
  });
}

async function contentOf(
  db: Database,
  user: SignedInCaller,
  asset: AssetRecord,
  ref: Named,
  { version, config: given }: Edit,
): Promise<(Pick<Described, 'described'> & { version: string; content: Content }) | undefined> {
  if (version === undefined || given === undefined) return undefined;
  const { config, described } = readDescribed(ref.kind, given, { name: asset.name, version, team: asset.team.name });
  if (described !== undefined) requireSameOwner(asset, described);
  const pins = await pinReferences(db, user, referencesOfConfig(ref, config));
  return { version, described, content: configOnly(config, pins) };
}

/** A config that describes its asset replaces the words, as a push of an agent does. */
function wordsAfter(edited: Edit, described: Described['described'], now: AssetRecord): Words {
  const before =
    described === undefined ? now : { description: described.description ?? '', tags: described.tags ?? [] };
  return { description: edited.description ?? before.description, tags: edited.tags ?? before.tags };
}

function same(words: Words, { description, tags }: AssetRecord): boolean {
  return JSON.stringify(words) === JSON.stringify({ description, tags });
}
