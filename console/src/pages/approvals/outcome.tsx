import type { Approval, ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Reason } from '../../parts/action/action.tsx';
import { When } from '../../parts/figures/when.tsx';
import { useHasApproved } from './has-approved.ts';
import { endedBy, RequestState } from './request-state.tsx';

/** What the author says, and where the decision stands: who decided, or who can. */
export function Outcome({ request }: { request: ApprovalDetail }) {
  const { message, submitted_by, status, is_current, target_changed, beyond, can } = request;
  return (
    <div className="mb-6 flex flex-col gap-3">
      {message !== '' && (
        <blockquote className="max-w-prose border-l-2 border-line-strong pl-3 text-section break-words whitespace-pre-wrap">
          {message}
          <footer className="mt-0.5 text-meta text-quiet">{submitted_by}</footer>
        </blockquote>
      )}
      {status === 'pending' && !is_current && (
        <Notice>
          The version has new content since this was asked. This request can only be rejected; its author submits the
          new content.
        </Notice>
      )}
      {status === 'pending' && target_changed && (
        <Notice>
          The target has another address or credential since this was asked. This request can only be rejected; its
          author submits it again.
        </Notice>
      )}
      {status === 'pending' && beyond.length > 0 && (
        <Notice>
          A deploy gets more than this request covers: {beyond.join(', ')}. This request can only be rejected; its
          author submits it again.
        </Notice>
      )}
      {status === 'pending' ? (
        <div className="text-quiet">
          <Votes request={request} />
          {can['approvals.approve']?.allowed !== true && is_current && <Reason can={can['approvals.approve']} />}
        </div>
      ) : (
        <OutcomeLine request={request} />
      )}
    </div>
  );
}

export function OutcomeLine({ request }: { request: Approval }) {
  const { closed_reason, status, decided_at, reason, asset, approved_by } = request;
  return (
    <div role="status" className="rounded border border-line bg-raised px-3 py-2.5">
      <p className="flex flex-wrap items-center gap-x-1.5">
        <RequestState request={request} /> by {endedBy(request)} <When at={decided_at} />
        {closed_reason === 'superseded' && (
          <Link to="/approvals" search={{ status: 'pending', asset }} className="text-accent">
            the newer request
          </Link>
        )}
      </p>
      {reason !== null && reason !== '' && <p className="mt-1 break-words whitespace-pre-wrap">{reason}</p>}
      {status === 'approved' &&
        approved_by.length > 1 &&
        approved_by.map(({ by, at, reason }) => (
          <p key={by} className="mt-1 text-quiet">
            {by} <When at={at} />
            {reason !== '' && `: ${reason}`}
          </p>
        ))}
    </div>
  );
}

function Votes({ request }: { request: ApprovalDetail }) {
  const { approvals_required, approved_by, can_decide, expires_at, can } = request;
  const hasApproved = useHasApproved(request);
  const given = approved_by.map(({ by }) => by).join(', ');
  return (
    <p>
      Needs {approvals_required} {approvals_required === 1 ? 'approval' : 'approvals'}
      {approved_by.length > 0 && `, has ${approved_by.length} (${given})`}.{' '}
      {can['approvals.approve']?.allowed === true && !hasApproved
        ? 'You can decide.'
        : can_decide.length === 0
          ? 'Nobody can decide yet: it takes another admin.'
          : `${can_decide.join(', ')} can decide.`}
      {expires_at !== null && (
        <>
          {' '}
          Expires <When at={expires_at} />.
        </>
      )}
    </p>
  );
}

function Notice({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="rounded border border-line bg-waiting-soft px-3 py-2.5 text-waiting">
      {children}
    </p>
  );
}
