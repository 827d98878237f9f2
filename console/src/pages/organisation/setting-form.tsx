import type { OrgSetting, OrgSettings } from '@gantry/contract/people/org.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { SvcLine } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Choice, Field, Form, TextArea } from '../../parts/form/form.tsx';
import { useSend } from '../../parts/action/use-send.ts';
import { send } from '../../server.ts';
import { settingWords, shownSetting } from './setting-words.ts';

interface SettingFormProps {
  name: OrgSetting;
  value: OrgSettings[OrgSetting];
  onDone: () => void;
}

export function SettingForm({ name, value, onDone }: SettingFormProps) {
  const { label, about, form, options = yesNo } = settingWords[name];
  const [typed, setTyped] = useState(textOf(value));
  const set = useSend('org.set', {
    says: ({ settings }) => `${label}: ${shownSetting(settings[name])}`,
    undo: async () => await send('org.set', { body: { [name]: value } }),
  });
  const sending = useMutation({
    mutationFn: async () => await set.mutateAsync({ body: { [name]: read(name, typed) } }),
    onSuccess: ({ answer: { notices } }) => notices.length === 0 && onDone(),
  });
  const control = { name, label, value: typed, onChange: change };
  function change({ currentTarget }: { currentTarget: { value: string } }) {
    setTyped(currentTarget.value);
  }
  const notices = sending.data?.answer.notices ?? [];
  return (
    <Dialog title={label} about={about} isOpen onClose={onDone}>
      {notices.length > 0 ? (
        <ul role="status" className="list-disc pl-5">
          {notices.map((notice) => (
            <li key={notice}>{notice}</li>
          ))}
        </ul>
      ) : (
        <Form
          error={sending.error}
          isSending={sending.isPending || typed === textOf(value)}
          send={`Change from ${shownSetting(value)}`}
          onCancel={onDone}
          onSend={() => sending.mutate()}
        >
          {form === 'json' && <TextArea {...control} rows={10} spellCheck={false} />}
          {form === 'number' && <Field {...control} inputMode="numeric" />}
          {form === 'text' && <Field {...control} />}
          {(form === 'yes_no' || form === 'choice') && <Choice {...control} options={options} />}
          <SvcLine line={`svc org set ${name} ${form === 'json' ? `'${typed}'` : typed || 'null'}`} />
        </Form>
      )}
    </Dialog>
  );
}

const yesNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

function textOf(value: OrgSettings[OrgSetting]): string {
  if (value === null) return '';
  return Array.isArray(value) ? JSON.stringify(value, undefined, 2) : String(value);
}

function read(name: OrgSetting, text: string): unknown {
  const { form } = settingWords[name];
  if (form === 'choice') return text;
  if (text.trim() === '') return null;
  if (form === 'text') return text.trim();
  try {
    return JSON.parse(text);
  } catch {
    const message = form === 'json' ? 'This is not JSON.' : 'This is not a number.';
    throw new Problem('invalid', { detail: message, errors: [{ pointer: `/body/${name}`, message }] });
  }
}
