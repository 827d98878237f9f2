// The audit log records refused actions in the sign-in chain: a loop of refusals must not delay a governed change.
// Only the first of the same refusals within a minute is recorded.
import type { Database } from '../../ground/database/database.ts';
import { appendAndCommit } from '../audit/append.ts';
import { actorOf, type Caller } from './caller.ts';
import type { Refusal } from './authorize.ts';
import { firstInAMinute } from './collapse.ts';

export type RecordRefusal = (caller: Caller, refusal: Refusal) => Promise<void>;

export function refusalRecorder(db: Database): RecordRefusal {
  const isFirst = firstInAMinute();
  return async (caller, refusal) => {
    const { operation, subject } = refusal;
    const actor = actorOf(caller);
    const about =
      subject.kind === 'asset'
        ? { team: subject.team.name, asset: subject.ref }
        : { team: subject.kind === 'team' ? subject.name : null, asset: null };
    const key = [actor.id ?? caller.origin.ip, operation, about.asset ?? about.team, refusal.code].join(' ');
    if (!isFirst(key)) return;
    const origin = { ip: caller.origin.ip, request_id: caller.origin.request_id };
    const detail = { operation, code: refusal.code, reason: refusal.detail };
    await db.transaction(
      async (tx) =>
        await appendAndCommit(tx, { ...about, ...origin, event: 'refused', outcome: 'refused', actor, detail }, []),
    );
  };
}
