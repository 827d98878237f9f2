// A run whose stream its client may leave and resume. It goes on without its reader, unless the client says `on_disconnect: cancel`.
import { Problem } from '@gantry/contract/problems.ts';
import { eventStream } from '../../../../governance/http/answer/event-stream.ts';
import type { Reply } from '../../../../governance/http/answer/reply.ts';
import { cancelInvocation } from '../../../invoke/invocations.ts';
import type { AskedRun, RunParts } from '../begin-run.ts';
import { beginInBackground, sendInBackground } from '../create.ts';
import { readParts } from './read-parts.ts';

/** Throws the refusal of a run that has not begun. */
export async function streamKept(parts: RunParts, asking: AskedRun): Promise<Reply> {
  const { signal, asked } = asking;
  const begun = await beginInBackground(parts, asking);
  const { run_id } = begun;
  const headers = await sendInBackground(parts, asking, begun);
  const reading = { run_id, after: undefined, signal: AbortSignal.any([signal, parts.ingress.stopping]) };
  const onLeave = asked.on_disconnect === 'cancel' ? cancelling(parts, { ...asking, run_id }) : undefined;
  return eventStream(readParts(parts, { ...reading, ...(onLeave && { onLeave }) }), headers);
}

/** For a reader whose leave ends the run. The stop of the service is no leave. */
export function cancelling(
  { ingress }: Pick<RunParts, 'ingress'>,
  run: Pick<AskedRun, 'caller' | 'name'> & { run_id: string },
): () => void {
  return () => {
    if (ingress.stopping.aborted) return;
    const cancelled = cancelInvocation(ingress, run).catch((error: unknown) => {
      // Its caller may not ask for that any more, or it has just ended.
      if (!(error instanceof Problem)) throw error;
    });
    ingress.background(cancelled);
  };
}
