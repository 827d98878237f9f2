import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FormDialog } from '../../parts/form/form-dialog.tsx';
import { Choice, Field } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { wordsOf } from '../../parts/words.ts';
import { holderOf } from './key-state.tsx';
import { KeyValue } from './key-value.tsx';
import { LimitFields, limitsOf } from './limits.tsx';
import { scopes } from './scopes.ts';

const lifetimes = [
  { value: '', label: 'without an end' },
  { value: '86400', label: 'a day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '7776000', label: '90 days' },
  { value: '31536000', label: 'a year' },
];

export function NewKey({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [scope, setScope] = useState(scopes[0]);
  const create = useSend('keys.create', { says: (key) => `${key.prefix}… works for ${holderOf(key)}` });
  if (create.data !== undefined) {
    const { id } = create.data.answer;
    return <KeyValue made={create.data.answer} onClose={() => void navigate({ to: '/keys/$id', params: { id } })} />;
  }
  const isNamed = scope !== undefined && scope.value !== 'user' && scope.value !== 'org';
  return (
    <FormDialog
      title="New key"
      send="Create, and show its value"
      sending={create}
      onSend={({ alias, scope_id, models, expires_in_seconds, ...values }) =>
        create.mutate({
          body: {
            scope: scope?.value ?? 'user',
            limits: limitsOf(values),
            ...(alias ? { alias } : {}),
            ...(scope_id ? { scope_id } : {}),
            ...(wordsOf(models).length > 0 ? { models: wordsOf(models) } : {}),
            ...(expires_in_seconds ? { expires_in_seconds: Number(expires_in_seconds) } : {}),
          },
        })
      }
      onClose={onClose}
    >
      <Field name="alias" label="Name" placeholder="notebooks" help="For people. Its scope when empty." />
      <div className="grid grid-cols-2 gap-3">
        <Choice
          name="scope"
          label="Works for"
          options={scopes.map(({ value, label }) => ({ value, label: value === 'user' ? 'yourself' : label }))}
          onChange={({ currentTarget }) => setScope(scopes.find(({ value }) => value === currentTarget.value))}
        />
        {isNamed && <Field name="scope_id" label="Its name" required />}
      </div>
      <Field
        name="models"
        label="Models"
        placeholder="*"
        help="Patterns between commas, such as gpt-4o*, and agents as agents/<name>. All models that you may call when empty."
      />
      <LimitFields />
      <Choice name="expires_in_seconds" label="Lifetime" options={lifetimes} />
    </FormDialog>
  );
}
