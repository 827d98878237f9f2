import type { KnowledgeRefresh } from '@gantry/contract/agents/knowledge.ts';
import { createDrawing } from '../run/draw-steps.ts';
import { followRun } from '../run/follow.ts';
import type { Session } from '../session/session.ts';

/** Until it has ended. Ctrl-C leaves it: the refresh goes on, and undefined is the answer. */
export async function watchRefresh(session: Session, id: string): Promise<KnowledgeRefresh | undefined> {
  const drawing = createDrawing(session.output);
  const left = new AbortController();
  using _taken = session.onInterrupt(() => left.abort());
  try {
    await followRun(session, { events: 'refreshes.events', id, signal: left.signal }, drawing.draw);
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  } finally {
    drawing.end();
  }
  return await session.call('refreshes.show', { params: { id } });
}
