import type { ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { useState } from 'react';
import { Action } from '../../parts/action/action.tsx';
import { useShortcuts } from '../../parts/keys.ts';
import { showReceipt } from '../../parts/action/receipt.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { DecideDialog, type Verdict } from './decide-dialog.tsx';
import { useHasApproved } from './has-approved.ts';
import { useSeen } from './seen.ts';

const approvedAlready = {
  allowed: false,
  reason: 'Your approval counts already. Another admin has to give the next one.',
};

/** The decisions that the state of the request leaves. What the reader may not do is greyed, with the reason. */
export function Decide({ request }: { request: ApprovalDetail }) {
  const { id, status, can, asset, asset_version } = request;
  const [verdict, setVerdict] = useState<Verdict>();
  const withdraw = useSend('approvals.withdraw', {
    changes: ['notifications', 'registry'],
    says: () => `Your request for ${asset} ${asset_version} is withdrawn`,
  });
  const approve = useHasApproved(request) ? approvedAlready : can['approvals.approve'];
  const allowed = { approve, reject: can['approvals.reject'], revoke: can['approvals.revoke'] };
  const ask = (verdict: Verdict) => () => {
    if (allowed[verdict]?.allowed === true) setVerdict(verdict);
  };
  const isSeen = useSeen();
  const askByKey = (verdict: Verdict) => () => {
    if (isSeen()) return ask(verdict)();
    showReceipt({
      says: `This is the next request, ${asset} ${asset_version}. Read it, then press the key again`,
      entries: [],
    });
  };
  useShortcuts(verdict === undefined ? { a: askByKey('approve'), r: askByKey('reject') } : {});
  const short = id.slice(0, 8);
  return (
    <>
      {status === 'pending' && can['approvals.withdraw']?.allowed === true && (
        <Action
          can={can['approvals.withdraw']}
          svc={`svc review withdraw ${short}`}
          isBusy={withdraw.isPending}
          onPress={() => withdraw.mutate({ params: { id } })}
        >
          Withdraw
        </Action>
      )}
      {status === 'pending' && (
        <>
          <Action
            can={allowed.reject}
            svc={`svc review reject ${short} --reason "…"`}
            look="danger"
            onPress={ask('reject')}
          >
            Reject… <Key>r</Key>
          </Action>
          <Action can={approve} svc={`svc review approve ${short}`} look="main" onPress={ask('approve')}>
            Approve… <Key>a</Key>
          </Action>
        </>
      )}
      {status === 'approved' && (
        <Action
          can={allowed.revoke}
          svc={`svc review revoke ${short} --reason "…"`}
          look="danger"
          onPress={ask('revoke')}
        >
          Revoke…
        </Action>
      )}
      {verdict !== undefined && (
        <DecideDialog request={request} verdict={verdict} onClose={() => setVerdict(undefined)} />
      )}
    </>
  );
}

function Key({ children }: { children: string }) {
  return (
    <kbd aria-hidden className="font-sans text-meta opacity-80 max-phone:hidden">
      {children}
    </kbd>
  );
}
