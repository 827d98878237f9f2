// The id of a response has the name of its thread. So nothing is stored for it, and the id of another caller's response leads to one's own thread of
// that name: a thread is a name among those of one caller.
import { threadName } from '@gantry/contract/agents/memory.ts';

const form = /^resp_[0-9a-f]{32}_([A-Za-z0-9_-]+)$/;

export function responseId(run_id: string, thread: string | undefined): string {
  const id = `resp_${run_id.replaceAll('-', '')}`;
  return thread === undefined ? id : `${id}_${Buffer.from(thread).toString('base64url')}`;
}

/** Undefined for a response without a thread, and for any other text. */
export function threadOf(response_id: string): string | undefined {
  const [, encoded] = form.exec(response_id) ?? [];
  return encoded === undefined ? undefined : threadName.safeParse(Buffer.from(encoded, 'base64url').toString()).data;
}
