import type { GovernedTx } from '../../access/change.ts';

/** Closes what waits for a decision about an asset; answers the ids. Approvals stand above the registry and hand it down. */
export type CloseRequests = (
  tx: GovernedTx,
  asset_id: string,
  closed_reason: 'superseded' | 'withdrawn',
) => Promise<string[]>;
