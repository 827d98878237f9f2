import type { Limits } from '@gantry/contract/models/keys.ts';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { LimitFields, limitsInWords, limitsOf } from '../keys/limits.tsx';
import type { BudgetSubject } from './budget-of.tsx';

interface SetBudgetProps {
  subject: BudgetSubject;
  name: string;
  before: Limits;
  onClose: () => void;
}

export function SetBudget({ subject, name, before, onClose }: SetBudgetProps) {
  const set = useSend('budgets.set', {
    // The plan of a deploy has the forecast of its agent.
    changes: ['costs', 'agents', 'deployments'],
    says: ({ limits }) => `The limits of ${name}: ${limitsInWords(limits)}`,
    undo: async () => await send('budgets.set', { body: { ...subject, limits: before } }),
  });
  return (
    <FormDialog
      title={`Limits of ${name}`}
      about="No later call is admitted past them. A week begins on Monday, in UTC."
      send="Set the limits"
      sending={set}
      onSend={(values) => set.mutate({ body: { ...subject, limits: limitsOf(values) } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <LimitFields before={before} />
    </FormDialog>
  );
}
