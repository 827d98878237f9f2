// A call with an Idempotency-Key. The call is stored before it is sent. So a caller who has lost the answer repeats the call and gets the answer,
// also while the container restarts. A call that no instance has begun leaves nothing: a repeat begins it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from '../../../governance/http/answer/reply.ts';
import { within } from '../../../ground/within.ts';
import type { Callable } from '../admit.ts';
import type { Incoming } from '../call.ts';
import { beginOnce, refuseOtherContent, runIdOf } from './call-key.ts';
import { isDetached, runningReply } from './detached.ts';
import type { Ingress } from '../ingress.ts';
import { readInvocation } from '../invocations.ts';
import { printEnded } from './print-ended.ts';
import { sendCall, type Ended } from './send-call.ts';
import { startRun } from './start-run.ts';

/** Throws `idempotency_conflict` for a key of a call with other content. */
export async function callOnce(
  ingress: Ingress,
  incoming: Incoming,
  { callable, key }: { callable: Callable; key: string },
): Promise<Reply> {
  const { caller, name, headers, body, trace } = incoming;
  const { sync_budget_ms, stopping } = ingress;
  const run_id = runIdOf({ caller_id: callable.user.id, asset_id: callable.agent.id, key });
  await refuseOtherContent(ingress, run_id, body);
  const wait_ms = isDetached(headers) ? 0 : sync_budget_ms;
  const reply = await beginOnce<() => Promise<Reply>>(ingress, run_id, {
    begin: async () => {
      const admitted = callable.admit();
      const run = startRun(ingress, admitted, trace, run_id);
      const sent = await sendCall(ingress, { admitted, run, origin: caller.origin, headers, body, is_stored: true });
      const { stored } = await sent.detach();
      return async () => {
        const ending = stored.then(async () => await sent.ending);
        const end = wait_ms === 0 ? undefined : await within(wait_ms, ending, stopping);
        if (end !== undefined) await forgetUnbegun(ingress, run_id, end);
        if (end !== undefined) return printEnded(end, run_id, sent);
        return runningReply(headers, { run_id, location: `/agents/${name}/runs/${run_id}` });
      };
    },
    again: async () => await Promise.resolve(async () => await answerAgain(ingress, { caller, name, run_id }, wait_ms)),
  });
  return await reply();
}

/** The sender gets the refusal of a call that no instance has begun, and may send it again. */
export async function forgetUnbegun(ingress: Ingress, run_id: string, end: Ended): Promise<void> {
  const isBegun = 'error' in end ? end.is_not_begun !== true : end.answer.status !== 429;
  if (!isBegun) await ingress.followed.remove(run_id);
}

const look_again_ms = 500;

async function answerAgain(
  ingress: Ingress,
  asked: Parameters<typeof readInvocation>[1],
  wait_ms: number,
): Promise<Reply> {
  const until = performance.now() + wait_ms;
  for (;;) {
    const reply = await readInvocation(ingress, asked);
    if (reply.status !== 202 || performance.now() > until || ingress.stopping.aborted) return reply;
    await sleep(look_again_ms, undefined, { signal: ingress.stopping }).catch(() => {}); // the next line says why
  }
}
