import type { KeyCaller } from '../../../governance/access/caller.ts';

/** The service's own call for vectors of texts that an agent keeps. */
export interface Embedding {
  kind: 'embedding';
  id: string;
  accounts: readonly string[];
  /** In the ledger, such as `memory:embedding`. */
  tag: string;
  /** Pays for it. */
  payer: KeyCaller;
}
