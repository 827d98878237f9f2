// The checks of the endpoints that move a request, or comment on it.
import { movesFrom, type Approval, type ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import { passes } from '../../governance/access/can.ts';
import type { Reader } from '../../ground/database/database.ts';
import { most_comments, requireWords, tooMany } from './comment.ts';
import { alreadyDecided, refuseOwn, superseded, wider, type Asked } from './decide-request.ts';
import { notApproved } from './revoke.ts';
import * as store from './store.ts';
import { requireSubmitter } from './withdraw.ts';

interface Shown {
  shown: Approval;
  is_current: boolean;
  planned: Pick<ApprovalDetail, 'beyond' | 'target_plan' | 'target_refuses'>;
  comments: number;
}

/** `shown` is the request as it is now, `is_current` whether the version still has its content. */
export async function canDecide(
  db: Reader,
  asked: Asked,
  { shown, is_current, planned, comments }: Shown,
): Promise<ApprovalDetail['can']> {
  const { user, row, asset } = asked;
  const now = await withExpiry(db, shown);
  const requireStatus = (move: keyof typeof movesFrom) => {
    if (now.status === movesFrom[move]) return;
    throw now.status === 'pending' ? notApproved(row.id) : alreadyDecided(now);
  };
  const refuseSuperseded = () => {
    if (now.closed_reason === 'superseded') throw superseded(row);
  };
  const approve = async () => {
    authorize(user, 'approval.decide', asset);
    await refuseOwn(db, asked);
    refuseSuperseded();
    requireStatus('approvals.approve');
    if (!is_current || row.target_changed) throw superseded(row);
    if (planned.beyond.length > 0) throw wider(row, planned.beyond);
    if (planned.target_plan === null && planned.target_refuses.length > 0)
      throw new Problem('target_refuses', { detail: planned.target_refuses.join(' ') });
  };
  const reject = async () => {
    authorize(user, 'approval.decide', asset);
    await refuseOwn(db, asked);
    refuseSuperseded();
    requireStatus('approvals.reject');
  };
  const withdraw = () => {
    authorize(user, 'approval.withdraw', asset);
    requireSubmitter(asked);
    requireStatus('approvals.withdraw');
  };
  const revoke = () => {
    authorize(user, 'approval.decide', asset);
    requireStatus('approvals.revoke');
  };
  const comment = () => {
    authorize(user, 'approval.comment', asset);
    requireWords(asked);
    if (comments >= most_comments) throw tooMany(asset);
  };
  return {
    'approvals.approve': await passes(approve),
    'approvals.comment': await passes(comment),
    'approvals.reject': await passes(reject),
    'approvals.revoke': await passes(revoke),
    'approvals.withdraw': await passes(withdraw),
  };
}

/** An overdue request is closed, also before its row says so. */
async function withExpiry(db: Reader, shown: Approval): Promise<Approval> {
  const isOverdue = shown.status === 'pending' && (await store.overdueRequests(db, { id: shown.id })).length > 0;
  return isOverdue ? { ...shown, status: 'rejected', closed_reason: 'expired' } : shown;
}
