import type { KeyCaller } from '../../../governance/access/caller.ts';

/** A person tries a text on a model. A key of the service pays, and the person's own right on the model counts. */
export interface Trial {
  kind: 'trial';
  id: string;
  /** Those of the key, and that of the person in the paying team: its limits hold too. */
  accounts: readonly string[];
  /** In the ledger. */
  tag: string;
  /** Pays for it. */
  payer: KeyCaller;
  holder_id: string;
  /** Undefined for somebody of another team. */
  member: { account: string; label: string } | undefined;
}
