// The request for a model under the guardrails of its caller. They run after its admission, so a blocked request counts as one.
import { Blocked, GuardedCall, type AskFor } from '../guardrails/guarded-call.ts';
import { checkTexts } from '../guardrails/json-texts.ts';
import type { Attempt } from './attempt.ts';
import type { Json } from './wires/wire.ts';

/** The body that may go on. Throws `Blocked`. */
export async function guardedRequest(
  { wire, sent, rules }: Pick<Attempt, 'wire' | 'sent' | 'rules'>,
  ask: AskFor,
): Promise<{ body: Json; guarded: GuardedCall }> {
  const guarded = new GuardedCall(rules, { ask, readGiven: async () => await Promise.resolve([]) });
  const unreadable = wire.unreadable?.(sent);
  const [rule] = rules;
  if (unreadable !== undefined && rule !== undefined)
    throw new Blocked(rule.name, 'model_in', `it cannot read ${unreadable}`);
  const body = await checkTexts(sent, wire.document, async (texts) => await guarded.check('model_in', texts));
  return { body, guarded };
}
