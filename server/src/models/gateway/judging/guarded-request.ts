// The request for a model under the guardrails of its caller. They run after its admission, so a blocked request counts as one.
import { comparesWithGiven, keepGiven } from '../../guardrails/given.ts';
import { GuardedCall, nothingGiven, type AskFor } from '../../guardrails/guarded-call.ts';
import { checkTexts } from '../../guardrails/json-texts.ts';
import type { RecordedCall } from '../../guardrails/record.ts';
import type { Rule } from '../../guardrails/rule.ts';
import { holderOfCall } from '../admission/facts.ts';
import type { Attempt } from '../upstream/attempt.ts';
import type { Json } from '../wires/wire.ts';

export function concernsRequests(rules: readonly Rule[]): boolean {
  return rules.some(isAtModel) || comparesWithGiven(rules);
}

/** The body that may go on. Throws `Blocked`. */
export async function guardedRequest(attempt: Attempt, ask: AskFor): Promise<{ body: Json; guarded: GuardedCall }> {
  const { gateway, wire, sent, rules, run, span, client, model } = attempt;
  const record = gateway.guardrails.of(recordedCall(attempt));
  const guarded = new GuardedCall(rules, { ask, given: nothingGiven, record, signal: client });
  span?.guardedBy(guarded);
  const unreadable = wire.unreadable?.(sent);
  const rule = rules.find(isAtModel);
  if (unreadable !== undefined && rule !== undefined)
    throw await guarded.block(rule.name, 'model_in', `it cannot read ${unreadable}`);
  const inTime = AbortSignal.any([client, AbortSignal.timeout(model.timeouts.total_ms)]);
  const body = await checkTexts(sent, wire.document, async (texts) => {
    if (comparesWithGiven(rules) && run.run_id !== null) await keepGiven(gateway.db, run.run_id, texts);
    return await guarded.check('model_in', texts, inTime);
  });
  return { body, guarded };
}

function recordedCall({ caller, key, run: { run_id } }: Attempt): RecordedCall {
  const payer = holderOfCall(caller);
  const by = { key_prefix: key.prefix, run_id };
  if (payer.kind === 'tester') return { agent_id: null, team_id: null, ...by };
  const { scope, scope_id, team_id } = payer;
  return { agent_id: scope === 'agent' ? scope_id : null, team_id, ...by };
}

function isAtModel({ places }: Rule): boolean {
  return places.includes('model_in') || places.includes('model_out');
}
