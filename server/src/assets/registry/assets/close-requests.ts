import type { GovernedTx } from '../../../governance/access/change.ts';

/** Closes the pending requests about an asset and returns their ids. Approvals, a higher folder, passes it in. */
export type CloseRequests = (
  tx: GovernedTx,
  asset_id: string,
  closed_reason: 'superseded' | 'withdrawn',
) => Promise<string[]>;
