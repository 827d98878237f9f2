import type { Page } from '@gantry/contract/endpoint.ts';
import type { WaitingRun } from '@gantry/contract/agents/threads.ts';
import { authorize } from '../../../governance/access/authorize.ts';
import type { Caller, SignedInCaller } from '../../../governance/access/caller.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import { findReadable } from '../../../assets/registry/find.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import { openInterrupts } from '../threads/print-thread.ts';
import type { ThreadParts } from '../threads/threads.ts';
import * as store from './inbox-store.ts';
import { mayAnswer } from './may-answer.ts';

/** The longest waiting first. Throws `memory_damaged`. */
export async function listInbox(
  { db, envelope, cursors }: ThreadParts,
  caller: Caller,
  { limit, cursor, own = false }: { limit: number; cursor?: string | undefined; own?: boolean | undefined },
): Promise<Page<WaitingRun>> {
  const user = signedIn(caller);
  authorize(user, 'inbox.read', theOrg);
  const scope = ['inbox', user.id, own];
  const after = cursors.read(cursor, scope) as [string, string] | undefined;
  const rows = await store.waitingFor(db, { owner_id: user.id, own, after, limit: limit + 1 });
  const shown = await answerable(db, user, rows);
  const printed = new Map<string, WaitingRun>();
  for (const row of rows.slice(0, limit))
    if (shown.has(row.id))
      printed.set(row.id, { ...printWaiting(row, user), interrupts: await openInterrupts(envelope, row) });
  return cursors.page(
    rows,
    limit,
    scope,
    ({ waiting_since, id }) => [waiting_since, id],
    ({ id }) => printed.get(id),
  );
}

/** Of one team's agents, or of all. Without what they ask. */
export async function listWaitingRuns(
  db: Reader,
  user: SignedInCaller,
  { team_id, limit }: { team_id: string | undefined; limit: number },
): Promise<Omit<WaitingRun, 'interrupts'>[]> {
  const of = { owner_id: user.id, own: false, after: undefined, team_id };
  const rows = await store.waitingFor(db, { ...of, limit: most_looked_at });
  const shown = await answerable(db, user, rows);
  return rows
    .filter(({ id }) => shown.has(id))
    .slice(0, limit)
    .map((row) => printWaiting(row, user));
}

/** Of what a notice told the person: what still waits, and what the person may answer now. */
export async function waitingOfNotice(
  db: Reader,
  user: SignedInCaller,
  notice_id: string,
): Promise<Omit<WaitingRun, 'interrupts'>[]> {
  const rows = await store.waitingOfNotice(db, { notice_id, owner_id: user.id, limit: most_looked_at });
  const shown = await answerable(db, user, rows);
  return rows.filter(({ id }) => shown.has(id)).map((row) => printWaiting(row, user));
}

/** Of those that others may answer, most are for somebody else. */
const most_looked_at = 200;

function printWaiting(row: store.WaitingRow, { id }: SignedInCaller): Omit<WaitingRun, 'interrupts'> {
  const is_own = row.owner_id === id;
  return {
    agent: `agents/${row.agent}`,
    orchestration: row.orchestration === null ? null : `orchestrations/${row.orchestration}`,
    thread: row.id,
    thread_id: is_own && row.orchestration === null ? row.name : null,
    caller: row.owner ?? row.owner_id,
    is_own,
    checkpoint_id: row.checkpoint_id,
    waiting_since: row.waiting_since,
  };
}

/** The ids of the threads that the person may answer now. */
async function answerable(db: Reader, user: SignedInCaller, rows: readonly store.WaitingRow[]): Promise<Set<string>> {
  const agents = await findReadable(db, user, [...new Set(rows.map(({ agent_id }) => agent_id))]);
  const by_id = new Map(agents.map((agent) => [agent.id, agent]));
  const may = rows.filter(({ owner_id, agent_id, may_answer, orchestration }) => {
    const agent = by_id.get(agent_id);
    // Its caller needs no right on a member of an orchestration.
    if (orchestration !== null && owner_id === user.id) return true;
    return agent !== undefined && (owner_id === user.id || mayAnswer(user, agent, may_answer));
  });
  return new Set(may.map(({ id }) => id));
}
