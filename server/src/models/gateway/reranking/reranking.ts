import type { KeyCaller } from '../../../governance/access/caller.ts';

/** The service's own call for the order of texts that were found. */
export interface Reranking {
  kind: 'reranking';
  id: string;
  accounts: readonly string[];
  /** In the ledger, such as `rag-indexes/handbook`. */
  tag: string;
  /** Pays for it. */
  payer: KeyCaller;
}
