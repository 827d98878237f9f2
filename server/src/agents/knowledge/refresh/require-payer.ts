import { authorize } from '../../../governance/access/authorize.ts';
import type { SignedInCaller } from '../../../governance/access/caller.ts';
import { canonicalJson } from '../../../governance/audit/canonical-json.ts';
import { change } from '../../../governance/access/change.ts';
import { issueAssetKey } from '../../../models/keys/issue-asset-key.ts';
import { exactLimits, limitsOf, noLimits, setLimits } from '../../../models/ledger/limits.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import * as indexes from '../index-store.ts';
import type { KnowledgeParts } from '../parts.ts';
import { indexContent } from '../searched.ts';

/** The key of the index. Its budget is that of the config, and its team pays. */
export async function requirePayer(
  parts: KnowledgeParts,
  user: SignedInCaller,
  { asset, digest }: { asset: AssetRecord; digest: string },
): Promise<void> {
  const { config } = await indexContent(parts.db, asset, digest);
  const limits = { ...noLimits, ...(config.budget_usd !== undefined && { monthly_usd: config.budget_usd }) };
  const model = config.embedding_model.ref.replace('models/', '');
  const before = await indexes.find(parts.db, asset.id);
  const grant = authorize(user, 'asset.write', asset);
  await change(parts.db, grant, 'knowledge.payer_set', async (tx, note) => {
    let key_id = before?.key_id ?? null;
    if (key_id === null) {
      const key = await issueAssetKey(parts, tx, { asset, models: [model], created_by: user.id });
      key_id = key.id;
      await indexes.putKey(tx, asset.id, key_id);
      note({ key: key.prefix, model, limits });
    }
    const [now] = await limitsOf(tx, [key_id]);
    if (canonicalJson(now) !== canonicalJson(exactLimits(limits))) await setLimits(tx, key_id, limits);
  });
}
