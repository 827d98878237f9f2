import type { ApprovalDetail } from '@gantry/contract/approvals.ts';
import { useState } from 'react';
import { Action } from '../../parts/action.tsx';
import { useShortcuts } from '../../parts/keys.ts';
import { useSend } from '../../parts/use-send.ts';
import { DecideDialog, type Verdict } from './decide-dialog.tsx';

/** The decisions that the state of the request leaves. What the reader may not do is greyed, with the reason. */
export function Decide({ request }: { request: ApprovalDetail }) {
  const { id, status, can, asset, asset_version } = request;
  const [verdict, setVerdict] = useState<Verdict>();
  const withdraw = useSend('approvals.withdraw', {
    changes: ['notifications', 'registry'],
    says: () => `Your request for ${asset} ${asset_version} is withdrawn`,
  });
  const ask = (verdict: Verdict) => () => {
    if (can[`approvals.${verdict}`]?.allowed === true) setVerdict(verdict);
  };
  useShortcuts(verdict === undefined ? { a: ask('approve'), r: ask('reject') } : {});
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
            can={can['approvals.reject']}
            svc={`svc review reject ${short} --reason "…"`}
            look="danger"
            onPress={ask('reject')}
          >
            Reject… <Key>r</Key>
          </Action>
          <Action
            can={can['approvals.approve']}
            svc={`svc review approve ${short}`}
            look="main"
            onPress={ask('approve')}
          >
            Approve… <Key>a</Key>
          </Action>
        </>
      )}
      {status === 'approved' && (
        <Action
          can={can['approvals.revoke']}
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
