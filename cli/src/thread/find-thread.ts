import { Problem } from '@gantry/contract/problems.ts';
import { required, type Input } from '../command.ts';
import type { Session } from '../session/session.ts';

export const threadArgument: Input<string> = required('The name or the id of a thread: svc threads list <agent>');

/** The form in which it stands in a path. A name with other characters than these is found in the list. */
export async function findThread(session: Session, agent: string, thread: string): Promise<string> {
  if (/^[\w.~ -]+$/.test(thread)) return thread;
  let cursor: string | undefined;
  do {
    const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) };
    const page = await session.call('threads.list', { params: { name: agent }, query });
    const found = page.items.find(({ thread_id }) => thread_id === thread);
    if (found !== undefined) return found.id;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  throw new Problem('not_found', { detail: `You have no thread ${thread} with ${agent}.` });
}
