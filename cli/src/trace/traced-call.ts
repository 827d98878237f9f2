// A call under a trace that the client chooses, so its id is known before the answer, and after a failure.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '@gantry/contract/problems.ts';
import type { Trace } from '@gantry/contract/models/traces.ts';
import type { Session } from '../session/session.ts';

export interface CallTrace {
  id: string;
  headers: { traceparent: string };
}

export function startTrace(): CallTrace {
  const id = randomBytes(16).toString('hex');
  return { id, headers: { traceparent: `00-${id}-${randomBytes(8).toString('hex')}-01` } };
}

/** A failure of the agent names the command that shows its trace. */
export async function hintAtTrace<Value>({ id }: CallTrace, call: () => Promise<Value>): Promise<Value> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, detail, errors, fields, hint } = error;
    // Any other hint says how to change the call.
    const isFailure = code === 'agent_error' || code === 'agent_unavailable';
    if (!isFailure || hint?.includes('svc logs') === false) throw error;
    const trace = `Its trace: \`svc trace show ${id}\`.`;
    throw new Problem(code, { detail, errors, fields, hint: hint === undefined ? trace : `${hint} ${trace}` });
  }
}

const look_again_ms = 250;
const longest_ms = 10_000;

// A container sends its spans every second, and the service stores them every second.
const quiet_ms = 1500;
/** The first spans of the agent can come this long after the call's own; an agent without traces has none. */
const first_ms = 3000;

/**
 * Spans are stored within a few seconds after the call: first the call's own, then those of the agent. Ends when no more have come for a
 * while and each one has its parent. Undefined when the call's own span does not come.
 */
export async function awaitTrace(session: Session, { id }: CallTrace): Promise<Trace | undefined> {
  let known: { trace: Trace; since: number } | undefined;
  for (const began = performance.now(); performance.now() - began < longest_ms;) {
    const trace = await session.call('traces.show', { params: { id } }).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'not_found') return undefined;
      throw error;
    });
    if (trace?.spans.some(({ source }) => source === 'ingress') === true) {
      if (known?.trace.spans.length !== trace.spans.length) known = { trace, since: performance.now() };
      else if (performance.now() - known.since >= quietTime(trace) && isWhole(trace)) return trace;
    }
    await delay(look_again_ms, undefined, { signal: session.signal });
  }
  return known?.trace;
}

function quietTime({ spans }: Trace): number {
  return spans.some(({ source }) => source === 'agent') ? quiet_ms : first_ms;
}

/** A span without its parent: the parent ends later, and is on its way. The first one's parent is the client's own, or none. */
function isWhole({ spans }: Trace): boolean {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  return spans.every(({ source, parent_id }) => source === 'ingress' || parent_id === null || ids.has(parent_id));
}
