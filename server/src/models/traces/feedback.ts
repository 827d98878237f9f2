// What callers think of the answers of their runs. It belongs to the content of a trace: the same people read it, and it is kept as long.
import type { Trace } from '@gantry/contract/models/traces.ts';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import type { Database, Reader } from '../../ground/database/database.ts';
import * as store from './feedback-store.ts';
import { readsContent } from './policy.ts';
import type { AgentsOfSpans } from './record.ts';
import type { Span } from './span.ts';

export interface Given {
  run_id: string;
  agent_id: string;
  caller_id: string;
  /** Null takes it back. */
  is_good: boolean | null;
  reason: string;
}

/** The trace says that it is a run of the caller. A trace comes a moment after its run, and can be thinned out. */
export const isTracedRunOf = store.isRunOf;

/** The caller of the run gives it. */
export async function giveFeedback(db: Database, { is_good, ...given }: Given): Promise<void> {
  if (is_good === null) await store.remove(db, given.run_id);
  else await store.put(db, { ...given, is_good });
}

export const feedbackBy = store.byCaller;

/** Of the runs in these spans whose content the caller may read. */
export async function feedbackIn(
  db: Reader,
  caller: SignedInCaller,
  { spans, agents }: { spans: readonly Span[]; agents: AgentsOfSpans },
): Promise<Trace['feedback']> {
  const readable = spans.filter(
    (span) => span.source === 'ingress' && readsContent(caller, span, agents.get(span.agent_id ?? '')),
  );
  const rows = await store.ofRuns(
    db,
    readable.flatMap(({ run_id }) => run_id ?? []),
  );
  return rows.map(({ run_id, is_good, reason, given_at }) => ({ run_id, is_good, reason, given_at }));
}
