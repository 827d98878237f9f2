import type { GovernedTx } from '../../governance/access/change.ts';
import type { AssetRecord } from '../../assets/registry/find.ts';
import { issueKey, type IssuedKey } from './issue-key.ts';
import type { KeyMaker } from './parts.ts';

/** A key with which the service pays for an asset: its team pays, the ledger has its tag, and nobody is shown the value. */
export async function issueAssetKey(
  maker: KeyMaker,
  tx: GovernedTx,
  { asset: { ref, team }, models, created_by }: { asset: AssetRecord; models: string[]; created_by: string },
): Promise<IssuedKey> {
  return await issueKey(maker, tx, {
    alias: ref,
    scope: 'team',
    scope_id: team.id,
    team_id: team.id,
    models,
    tags: [ref],
    created_by,
    issued: false,
  });
}
