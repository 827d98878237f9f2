// A call to an agent without a container asks for a container (deploy/serving/wake.ts), and waits until one takes calls. Each look admits the call again, so
// it is refused when its caller loses the right meanwhile, or its agent is stopped. A failed start refuses all calls until the next attempt to
// start. No call causes such an attempt.
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, problems } from '@gantry/contract/problems.ts';
import type { Admitted } from './admit.ts';
import type { Ingress } from './ingress.ts';

/** The limit of a call that nobody waits for. A start has a limit of its own. */
export const longest_wait_ms = 10 * 60_000;
const look_again_ms = 100;

interface Wait {
  limit_ms: number;
  signal: AbortSignal;
  /** Awaited before the first look. The wait ends with its error. */
  onEntered?: () => Promise<void>;
}

/**
 * Returns a function to call once. It waits for an instance and returns the new admission, maybe at a newer revision. Throws `too_many_runs`,
 * and `agent_unavailable` after a failed start. The function throws the refusal at its moment, and `agent_unavailable` after a failed start or
 * the limit.
 */
export function beginWait(
  ingress: Pick<Ingress, 'agents' | 'waiting' | 'stopping'>,
  { admitted, body }: { admitted: Admitted; body: Uint8Array },
): (until: Wait) => Promise<Admitted> {
  if (admitted.revision.instances.length > 0) return async () => await Promise.resolve(admitted);
  refuseAfterFailure(admitted);
  const leave = ingress.waiting.enter(admitted, body);
  return async ({ limit_ms, signal, onEntered }) => {
    const until = performance.now() + limit_ms;
    const ending = AbortSignal.any([signal, ingress.stopping]);
    try {
      await onEntered?.();
      for (let now = admitted; ; now = await now.again()) {
        if (now.revision.instances.length > 0) return now;
        refuseAfterFailure(now);
        if (now.revision.start === null) await ingress.agents.wake(now.revision.revision_id);
        if (performance.now() >= until) throw notAwake(now);
        await sleep(look_again_ms, undefined, { signal: ending }).catch(() => {}); // the next line says why
        if (ingress.stopping.aborted) throw new Problem('starting', { detail: 'The service is stopping.' });
        if (signal.aborted) throw new Problem('cancelled', { detail: `The caller of ${now.agent.ref} has left.` });
      }
    } finally {
      leave();
    }
  };
}

function refuseAfterFailure({ agent, revision: { start } }: Admitted): void {
  if (start === null || start.problem === null) return;
  // Its detail is for readers of the log.
  const { title } = problems[start.problem];
  const left_ms = start.next_start_at === null ? 0 : Date.parse(start.next_start_at) - Date.now();
  throw new Problem('agent_unavailable', {
    detail: `${agent.ref} could not be started: ${title}.`,
    hint: `Run \`svc status ${agent.name}\` for the reason. The next attempt follows by itself.`,
    retry_after_seconds: Math.max(1, Math.ceil(left_ms / 1000)),
    fields: { reason: start.problem },
  });
}

/** The refusal of a call to an agent without an instance. */
export function notAwake({ agent, revision: { start } }: Pick<Admitted, 'agent' | 'revision'>): Problem {
  return start === null
    ? new Problem('agent_unavailable', {
        detail: `${agent.ref} is asleep.`,
        hint: `A call starts it: svc invoke ${agent.name} '{}'`,
      })
    : new Problem('agent_unavailable', { detail: `${agent.ref} is still starting.`, retry_after_seconds: 5 });
}
