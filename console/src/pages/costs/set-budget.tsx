import type { KeyScope, Limits } from '@gantry/contract/keys.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { useSend } from '../../parts/use-send.ts';
import { send } from '../../server.ts';
import { LimitFields, limitsInWords, limitsOf } from '../keys/limits.tsx';

interface SetBudgetProps {
  subject: { scope: KeyScope; scope_id?: string };
  name: string;
  before: Limits;
  onClose: () => void;
}

export function SetBudget({ subject, name, before, onClose }: SetBudgetProps) {
  const set = useSend('budgets.set', {
    changes: ['costs'],
    says: ({ limits }) => `The limits of ${name}: ${limitsInWords(limits)}`,
    undo: async () => await send('budgets.set', { body: { ...subject, limits: before } }),
  });
  return (
    <Dialog
      title={`Limits of ${name}`}
      about="No later call is admitted past them. A week begins on Monday, in UTC."
      isOpen
      onClose={onClose}
    >
      <Form
        send="Set the limits"
        error={set.error}
        isSending={set.isPending}
        onCancel={onClose}
        onSend={(values) => set.mutate({ body: { ...subject, limits: limitsOf(values) } }, { onSuccess: onClose })}
      >
        <LimitFields before={before} />
      </Form>
    </Dialog>
  );
}
