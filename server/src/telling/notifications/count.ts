import { authorize } from '../../governance/access/authorize.ts';
import type { Caller, UserCaller } from '../../governance/access/caller.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { most_waiting_runs } from '@gantry/contract/telling/notifications.ts';
import { listWaitingRuns } from '../../agents/memory/inbox/list-inbox.ts';
import { countAsks } from '../../agents/connections/show-connections.ts';
import { countWaitingCalls } from '../../agents/tools/approvals/list-waiting.ts';
import { countQuestions } from '../../agents/tools/questions/list-questions.ts';
import { countWaiting } from '../../agents/approvals/waiting.ts';
import type { Database } from '../../ground/database/database.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { isReadable } from './policy.ts';
import { readableAssets } from './read-rows.ts';
import * as store from './store.ts';

export interface Counts {
  /** Requests that the caller can decide. */
  pending: number;
  /** Runs that wait for the caller's answer. */
  waiting_runs: number;
  /** Calls of tools that wait for the caller's decision. */
  waiting_calls: number;
  /** Questions of MCP servers to the caller. */
  waiting_questions: number;
  /** Agents that want to act in the name of the caller. */
  waiting_consents: number;
  unread: number;
}

/** For the badges: the caller's unread notifications, open requests, and runs and calls that wait. */
export async function count(db: Database, caller: Caller): Promise<Counts> {
  const user = signedInUser(caller);
  authorize(user, 'notification.read', theOrg);
  return await countsOf(db, user);
}

export async function countsOf(db: Database, user: UserCaller): Promise<Counts> {
  const [pending, waiting, waiting_calls, waiting_questions, waiting_consents, unread] = await Promise.all([
    countWaiting(db, user),
    listWaitingRuns(db, user, { team_id: undefined, limit: most_waiting_runs }),
    countWaitingCalls(db, user, most_waiting_runs),
    countQuestions(db, user.id, most_waiting_runs),
    countAsks(db, user.id, most_waiting_runs),
    countUnread(db, user),
  ]);
  return { pending, waiting_runs: waiting.length, waiting_calls, waiting_questions, waiting_consents, unread };
}

export async function countUnread(db: Database, user: UserCaller): Promise<number> {
  const rows = await store.unreadBySubject(db, user);
  const assets = await readableAssets(db, user, rows);
  const readable = rows.filter((row) => isReadable(user, row, assets.get(row.asset_id ?? '')));
  return readable.reduce((sum, { unread }) => sum + unread, 0);
}
