import type { GuardedCall } from '../../guardrails/guarded-call.ts';
import type { Place } from '../../../governance/http/shares/work-places.ts';
import type { RunOfCall } from '../../ledger/books.ts';
import type { Admitted } from '../admission/admission.ts';
import type { Payer } from '../admission/facts.ts';
import type { Model } from '../model.ts';
import type { GatewayParts } from '../parts.ts';
import { costOf } from '../prices/cost.ts';
import type { CallSpan } from '../record-call.ts';
import { inputClasses, outputClasses, type Usage } from '../prices/rates.ts';
import type { AskedOfModel, Json, Wire } from '../wires/wire.ts';

/** One attempt of a call, with a hold of its own. */
export interface Attempt extends Admitted {
  gateway: GatewayParts;
  wire: Wire;
  sent: Json;
  asked: AskedOfModel;
  /** Headers of the client, for the upstream. */
  passed: Record<string, string>;
  caller: Payer;
  run: RunOfCall;
  /** The same for all attempts of a call. */
  call_id: string;
  hold_id: string;
  client: AbortSignal;
  /** Undefined for a key without guardrails. */
  guarded: GuardedCall | undefined;
  /** Undefined for a test of a model. */
  span: CallSpan | undefined;
  whileWaiting: Place['whileWaiting'];
}

/** Without usage, the whole hold is charged. */
export function settle(
  { gateway, caller, call_id, hold_id, key, model, held, span }: Attempt,
  outcome: 'answered' | 'refused' | 'failed',
  usage: Usage | undefined,
): void {
  const counts = Object.entries(usage ?? {}).filter(([, tokens]) => tokens !== 0);
  const tokensOf = (classes: object) =>
    counts.reduce((sum, [name, tokens]) => sum + (Object.hasOwn(classes, name) ? tokens : 0), 0);
  const input_tokens = tokensOf(inputClasses);
  const output_tokens = tokensOf(outputClasses);
  const nano = outcome === 'refused' ? 0 : usage && nanoOf(model, usage);
  gateway.admission.settle({
    hold_id,
    accounts: caller.accounts,
    outcome,
    nano,
    input_tokens,
    output_tokens,
    usage: Object.fromEntries(counts),
  });
  span?.settled({
    call_id,
    tags: key.tags,
    model,
    outcome,
    input_tokens,
    output_tokens,
    usage: usage ?? {},
    nano: nano ?? held,
  });
}

/** Settles a call whose usage nobody says. The estimate is in nano-USD; undefined charges the whole hold. */
export function settleEstimate(
  { gateway, caller, call_id, hold_id, key, model, held, span }: Attempt,
  nano: number | undefined,
): void {
  const none = { input_tokens: 0, output_tokens: 0 };
  gateway.admission.settle({
    hold_id,
    accounts: caller.accounts,
    outcome: 'failed',
    nano,
    is_estimate: true,
    ...none,
    usage: {},
  });
  span?.settled({ call_id, tags: key.tags, model, outcome: 'failed', ...none, usage: {}, nano: nano ?? held });
}

/** Undefined for a usage that the price does not know: then the whole hold is charged. */
export function nanoOf({ price }: Pick<Model, 'price'>, usage: Usage): number | undefined {
  if (price === undefined) return 0;
  try {
    return costOf(price, usage);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
