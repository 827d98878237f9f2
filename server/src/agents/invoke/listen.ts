// What an agent says during a call whose answer somebody else awaits. The events come beside the answer, on a connection of their own. So the answer
// is the same as without events, and a broken, slow or absent listener changes nothing of the run.
import { Problem } from '@gantry/contract/problems.ts';
import type { GuardedCall } from '../../models/guardrails/guarded-call.ts';
import type { Event } from '../../models/guardrails/guarded-events.ts';
import { eventsOfAgent } from './streams/agent-events.ts';
import { brokenConnection } from './answer.ts';
import { passedEvents, readEvents } from './streams/guarded-invocation.ts';
import type { Ingress } from './ingress.ts';
import type { PlacedCall } from './calls/place-call.ts';
import type { Ended } from './calls/track-call.ts';
import { callAgent, type UpstreamCall } from './upstream.ts';

/** Gets what the agent says during one call. */
export interface Listener {
  /** Called when the call is sent. A call that is refused before has no events and no end. */
  begin(): void;
  /** An AG-UI event that the guardrails let pass. Never waits. False when no further one is wanted. */
  hear(event: Event): boolean;
  /** Called once, after the last event. */
  end(): void;
  /** Awaited before the end of a stored call is stored. */
  beforeEnd?(ended: Ended): Promise<void>;
  /** Nobody listens any more. */
  signal: AbortSignal;
}

interface HeardCall extends Pick<UpstreamCall, 'agent' | 'caller' | 'through'> {
  run_id: string;
  placed: Pick<PlacedCall, 'instance'>;
  guarded: GuardedCall | undefined;
  /** The container has the run, or the call has ended. */
  known: Promise<unknown>;
}

/** Hears nothing of an agent whose wrapper is older than this, and of one that cannot be reached. */
export async function listen(
  { connections, stopping }: Pick<Ingress, 'connections' | 'stopping'>,
  { run_id, placed, guarded, known, ...to }: HeardCall,
  listener: Listener,
): Promise<void> {
  listener.begin();
  const signal = AbortSignal.any([listener.signal, stopping]);
  try {
    await known;
    const { instance } = placed;
    const asking = { ...to, instance, method: 'GET', path: `/runs/${run_id}/events`, signal } as const;
    const answered = await callAgent(connections, asking);
    if (!answered.content_type.startsWith('text/event-stream')) return await answered.body.dump();
    // Without an encoding the body gives buffers.
    const body = answered.body as AsyncIterable<Buffer>;
    // The answer of the call says why its container ended.
    const why = async (cause: unknown) => await Promise.resolve(brokenConnection(to.agent.ref, cause));
    const chunks = eventsOfAgent(body, { why });
    const events = guarded === undefined ? readEvents(chunks) : passedEvents(guarded.again(), chunks, signal);
    for await (const event of events) if (!listener.hear(event)) break;
  } catch (error) {
    if (!(error instanceof Problem) && !signal.aborted) throw error;
  } finally {
    listener.end();
  }
}
