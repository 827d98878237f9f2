import type { Answer } from '../answer.ts';

/** How a call ended. `interrupted` waits for an answer of its caller. */
export type Outcome = 'completed' | 'interrupted' | 'cancelled' | 'rejected' | 'failed';

// The wrapper prints the run and its status before every value of the agent.
const envelope = /^\s*\{\s*"run_id"\s*:\s*"[^"]*"\s*,\s*"status"\s*:\s*"(\w+)"/;
const max_envelope_bytes = 1000;
const max_problem_bytes = 64 * 1024;

export function outcomeOf({ status, body }: Pick<Answer, 'status' | 'body'>): Outcome {
  if (status < 400) {
    return statusIn(body) === 'interrupted' ? 'interrupted' : 'completed';
  }
  // The first is the wrapper's. The second is of a call that no instance has begun.
  if (['run_cancelled', 'cancelled'].includes(problemIn(body)?.code ?? '')) return 'cancelled';
  return status < 500 ? 'rejected' : 'failed';
}

/** The status of a run, as the wrapper prints it. */
export function statusIn(body: Buffer): string | undefined {
  return envelope.exec(body.subarray(0, max_envelope_bytes).toString())?.[1];
}

/** The code and the sentence of a problem document. */
export function problemIn(body: Uint8Array): { code: string; detail: string } | undefined {
  if (body.length > max_problem_bytes) return undefined;
  try {
    const { code, detail } = JSON.parse(Buffer.from(body).toString()) as { code?: unknown; detail?: unknown };
    return typeof code === 'string' && typeof detail === 'string' ? { code, detail } : undefined;
  } catch {
    return undefined;
  }
}
