import type { Page } from '@gantry/contract/endpoint.ts';
import type { SpanStatus, TraceEntry } from '@gantry/contract/models/traces.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Database } from '../../ground/database/database.ts';
import type { Cursors } from '../../governance/http/cursor.ts';
import { signedIn } from '../../people/principals/signed-in.ts';
import { findAgent } from '../../assets/registry/find.ts';
import { agentsOf, toEntry } from './record.ts';
import * as store from './store.ts';

export interface TracesQuery {
  agent?: string | undefined;
  run?: string | undefined;
  since?: string | undefined;
  status?: SpanStatus | undefined;
  min_duration_ms?: number | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** The newest first. */
export async function listTraces(
  { db, cursors }: { db: Database; cursors: Cursors },
  caller: Caller,
  { limit, cursor, ...filter }: TracesQuery,
): Promise<Page<TraceEntry>> {
  const user = signedIn(caller);
  authorize(user, 'trace.read', theOrg);
  const { agent: name, since, ...more } = filter;
  const scope = ['traces', filter, user.id];
  const [started_us, span_id] = cursors.read(cursor, scope) ?? [];
  const before = started_us === undefined ? undefined : { started_us: Number(started_us), span_id: String(span_id) };
  const agent = name === undefined ? undefined : await findAgent(db, name, user);
  // The list is empty for a missing agent and for an agent that the caller may not read.
  if (name !== undefined && agent === undefined) return { items: [] };
  const rows = await store.entries(db, user, {
    ...more,
    agent_id: agent?.id,
    since_us: since === undefined ? undefined : Date.parse(since) * 1000,
    before,
    limit: limit + 1,
  });
  const agents = await agentsOf(db, user, rows);
  return cursors.page(
    rows,
    limit,
    scope,
    (row) => [row.started_us, row.span_id],
    (row) => toEntry(user, agents, row),
  );
}
