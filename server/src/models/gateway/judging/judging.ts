import type { GuardrailName } from '@gantry/contract/guardrails/places.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';

/** A guardrail's own call to a model. */
export interface Judging {
  kind: 'judge';
  id: string;
  accounts: readonly string[];
  rule: GuardrailName;
  /** Pays for it. */
  payer: KeyCaller;
}
