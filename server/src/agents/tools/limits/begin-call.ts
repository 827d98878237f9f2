// The row of a call, stored only when its limits leave room for it: calls of the agent at once, and calls per minute of the server's config. The
// database counts, so the limits hold for all processes together.
import { Problem } from '@gantry/contract/problems.ts';
import type { CallRate } from '@gantry/project/call-limits.ts';
import type { ToolParts } from '../parts.ts';
import { begin, type BegunCall } from '../tool-call-store.ts';
import { lease_ms } from './open-calls.ts';

/** The call counts until it is removed from `open_calls`. Throws `too_many_requests` or `rate_limit_exceeded`, and then stores nothing. */
export async function beginCall(
  { db, open_calls }: Pick<ToolParts, 'db' | 'open_calls'>,
  { id, call, rate = {}, at_once }: { id: string; call: BegunCall; rate?: CallRate | undefined; at_once: number },
): Promise<void> {
  const { is_full, agent_seconds, caller_seconds } = await begin(db, { id, call, rate, at_once, lease_ms });
  if (is_full)
    throw new Problem('too_many_requests', {
      detail: `${call.agent_id === null ? 'You have' : 'The agent has'} ${at_once} calls of tools under way, and may have no more.`,
      hint: 'Call again when one of them has ended.',
      retry_after_seconds: 1,
    });
  const who = call.agent_id === null ? 'You' : 'This agent';
  const [whose, limit, seconds] =
    agent_seconds === null
      ? ([call.agent_id === null ? who : `${who}, for this caller,`, rate.caller, caller_seconds] as const)
      : ([who, rate.agent, agent_seconds] as const);
  if (seconds !== null)
    throw new Problem('rate_limit_exceeded', {
      detail: `${whose} may call ${call.server} ${limit} times per minute.`,
      retry_after_seconds: Math.max(1, Math.ceil(seconds)),
    });
  open_calls.add(id);
}
