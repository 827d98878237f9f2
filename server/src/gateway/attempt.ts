import type { GuardedCall } from '../guardrails/guarded-call.ts';
import type { RunOfCall } from '../ledger/books.ts';
import type { Admitted } from './admission.ts';
import type { Payer } from './facts.ts';
import type { Model } from './model.ts';
import type { GatewayParts } from './parts.ts';
import { costOf } from './prices/cost.ts';
import { inputClasses, outputClasses, type Usage } from './prices/rates.ts';
import type { AskedOfModel, Json, Wire } from './wires/wire.ts';

/** Of a call, with a hold of its own. */
export interface Attempt extends Admitted {
  gateway: GatewayParts;
  wire: Wire;
  sent: Json;
  asked: AskedOfModel;
  /** Headers of the client, for the upstream. */
  passed: Record<string, string>;
  caller: Payer;
  run: RunOfCall;
  hold_id: string;
  client: AbortSignal;
  /** Undefined for a key without guardrails. */
  guarded: GuardedCall | undefined;
}

/** Without usage, the whole hold is charged. */
export function settle(
  { gateway, caller, hold_id, model }: Attempt,
  outcome: 'answered' | 'refused' | 'failed',
  usage: Usage | undefined,
): void {
  const counts = Object.entries(usage ?? {}).filter(([, tokens]) => tokens !== 0);
  const tokensOf = (classes: object) =>
    counts.reduce((sum, [name, tokens]) => sum + (Object.hasOwn(classes, name) ? tokens : 0), 0);
  gateway.admission.settle({
    hold_id,
    accounts: caller.accounts,
    outcome,
    nano: outcome === 'refused' ? 0 : usage && nanoOf(model, usage),
    input_tokens: tokensOf(inputClasses),
    output_tokens: tokensOf(outputClasses),
    usage: Object.fromEntries(counts),
  });
}

/** Undefined for a usage that the price does not know: then the whole hold is charged. */
function nanoOf({ price }: Model, usage: Usage): number | undefined {
  if (price === undefined) return 0;
  try {
    return costOf(price, usage);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
