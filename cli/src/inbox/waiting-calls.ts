// Calls of tools that wait for a person, in the inbox.
import type { WaitingCall } from '@gantry/contract/assets/tool-calls.ts';
import type { Result } from '../result.ts';
import type { Session } from '../session/session.ts';
import { bad, fields, good, line, strong, time, verbatim, type View } from '../view/view.ts';

/** Whole, because a person approves exactly this. */
export function describeCalls(calls: readonly WaitingCall[]): View {
  return calls.flatMap(({ id, server, tool, arguments: args, caller, is_own, through, wanted_by, expires_at }) => [
    fields({
      call: strong(id),
      tool: `${tool} of ${server}`,
      for: is_own ? 'you' : caller,
      through: through.length === 0 ? null : through.join(' ← '),
      'wanted by': wanted_by.join(', '),
      until: time(expires_at),
    }),
    verbatim(JSON.stringify(args, null, 2)),
  ]);
}

/** `approve` and `reject` of a call by its id are decisions; every other answer is for a thread. */
export const isDecision = (word: string): word is 'approve' | 'reject' => word === 'approve' || word === 'reject';

export async function decideOnCall(
  session: Session,
  { id, decision, reason }: { id: string; decision: 'approve' | 'reject'; reason: string | undefined },
): Promise<Result> {
  const body = { decision, ...(reason !== undefined && { note: reason }) };
  const data = await session.call('tool_calls.decide', { params: { id }, body });
  const { tool, server, agent, caller } = data;
  const view =
    decision === 'approve'
      ? line(
          good('✓ '),
          `${agent ?? caller} may make this call of ${tool} of ${server} once${agent === null ? '' : `, for ${caller}`}`,
        )
      : line(bad('✗ '), `This call of ${tool} of ${server} is rejected`);
  return { data, view: [view] };
}
