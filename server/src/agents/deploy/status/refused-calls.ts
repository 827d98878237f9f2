// The message of a failed start, with the refusal of the model gateway behind it. The clients of model vendors often hide that refusal.
import { Problem } from '@gantry/contract/problems.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { lastRefusedStart } from '../../../models/gateway/admission/refused-start.ts';
import { isGeneralHint } from '../targets/start-hint.ts';

/** `mask` hides the secrets of the agent, which chooses parts of its request and so of the refusal. */
export async function withRefusedCall(
  db: Reader,
  { error, key_id, mask }: { error: unknown; key_id: string | null; mask: (text: string) => string },
): Promise<unknown> {
  if (!(error instanceof Problem) || error.code !== 'start_failed' || key_id === null) return error;
  const refused = await lastRefusedStart(db, key_id);
  if (refused === undefined) return error;
  const { code, detail, hint, fields } = error;
  // A fault with a hint of its own, such as a missing variable, stays the first to correct.
  const next = isGeneralHint(hint) && refused.hint !== null ? mask(refused.hint) : hint;
  return new Problem(code, {
    detail: `${detail.replace(/\.$/, '')}. During this start, the model gateway refused a call of the agent: ${mask(refused.detail)}`,
    ...(next === undefined ? {} : { hint: next }),
    fields,
  });
}
