import type { Approval, ApprovalDetail } from '@gantry/contract/agents/approvals.ts';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Field, Form, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { refresh, send } from '../../server.ts';
import { OutcomeLine } from './outcome.tsx';
import { useQueue } from './queue.ts';
import { noteDecision } from './seen.ts';

export type Verdict = 'approve' | 'reject' | 'revoke';

interface DecideDialogProps {
  request: ApprovalDetail;
  verdict: Verdict;
  onClose: () => void;
}

const changes = ['notifications', 'registry', 'agents'];

/** The decision with its reason. After it comes the next request that waits for the reader. */
export function DecideDialog({ request, verdict, onClose }: DecideDialogProps) {
  const { id, asset, asset_version, target, status, approvals_required, approved_by } = request;
  const what = `${asset} ${asset_version}`;
  const queue = useQueue(id);
  const revoke = async ({ id }: Approval) =>
    await send('approvals.revoke', { params: { id }, body: { reason: 'undone' } });
  const sending = {
    approve: useSend('approvals.approve', {
      changes,
      says: (answer) => approved(answer, what),
      ...(approvals_required === 1 && { undo: revoke }),
    }),
    reject: useSend('approvals.reject', { changes, says: () => `${what} is rejected` }),
    revoke: useSend('approvals.revoke', { changes, says: () => `The approval of ${what} is revoked` }),
  }[verdict];
  const decide = ({ reason = '' }: Record<string, string>) =>
    sending.mutate(
      { params: { id }, body: { reason } },
      {
        onSuccess: () => {
          onClose();
          noteDecision();
          if (verdict !== 'revoke') queue.open(queue.next);
        },
        // Somebody else was first: the page then says so.
        onError: () => refresh(['approvals']),
      },
    );
  const { title, about, label } = words(what, target, { given: approved_by.length + 1, required: approvals_required })[
    verdict
  ];
  const isOpen = status === (verdict === 'revoke' ? 'approved' : 'pending');
  return (
    <Dialog title={title} about={isOpen ? about : undefined} isOpen onClose={onClose}>
      {isOpen ? (
        <Form
          send={title}
          look={verdict === 'approve' ? 'main' : 'danger'}
          error={sending.error}
          isSending={sending.isPending}
          onSend={decide}
          onCancel={onClose}
        >
          {verdict === 'approve' ? (
            <Field name="reason" label={label} maxLength={4000} />
          ) : (
            <TextArea name="reason" label={label} maxLength={4000} required={verdict === 'reject'} />
          )}
        </Form>
      ) : (
        <OutcomeLine request={request} />
      )}
    </Dialog>
  );
}

function words(what: string, target: string, { given, required }: { given: number; required: number }) {
  const on = target === 'none' ? '' : ` for target ${target}`;
  return {
    approve: {
      title: `Approve ${what}`,
      about:
        given < required
          ? `This is ${given} of ${required} approvals. After the last one, deployers may deploy exactly this content${on}.`
          : `Deployers may then deploy exactly this content${on}. Other content needs another approval.`,
      label: 'Reason (optional)',
    },
    reject: {
      title: `Reject ${what}`,
      about: 'The author sees the reason, and can submit a new version.',
      label: 'Reason',
    },
    revoke: {
      title: `Revoke the approval of ${what}`,
      about: 'No new deploy can use it. What already runs keeps running.',
      label: 'Reason (optional)',
    },
  };
}

function approved({ status, approved_by, approvals_required, target }: Approval, what: string): string {
  if (status === 'pending') return `You approve ${what}: ${approved_by.length} of ${approvals_required}`;
  return `${what} is approved${target === 'none' ? '' : ` for target ${target}`}`;
}
