import { useState } from 'react';
import { Field, Form, TextArea } from '../../parts/form/form.tsx';
import type { Wish } from './use-verification.ts';

interface VerifyFormProps {
  /** As the service says it. Absent for readers who may not export the log: they bring an export and the key. */
  public_key: string | undefined;
  isBusy: boolean;
  onVerify: (wish: Wish) => void;
}

export function VerifyForm({ public_key, isBusy, onVerify }: VerifyFormProps) {
  const [log, setLog] = useState<File>();
  const [anchor, setAnchor] = useState<File>();
  const isAdmin = public_key !== undefined;
  return (
    <div className="max-w-160">
      <Form
        send={log !== undefined ? `Verify ${log.name} here` : isAdmin ? 'Verify the present log here' : 'Verify here'}
        error={undefined}
        isSending={isBusy}
        onSend={({ key = '' }) => onVerify({ log, public_key: key, anchor })}
      >
        <div className="grid grid-cols-2 gap-4 max-phone:grid-cols-1">
          <Field
            name="log"
            label="An export"
            type="file"
            accept=".ndjson,.jsonl"
            required={!isAdmin}
            help={
              isAdmin
                ? 'A file of an earlier export. Without one, the present log is read.'
                : 'The file of svc audit export, from a platform admin.'
            }
            onChange={(event) => setLog(fileOf(event.currentTarget))}
          />
          <Field
            name="anchor"
            label="A copy from outside"
            type="file"
            accept=".ndjson,.jsonl"
            help="The file of AUDIT_ANCHOR_FILE. Only such a copy shows that no entries are missing at the end."
            onChange={(event) => setAnchor(fileOf(event.currentTarget))}
          />
        </div>
        <TextArea
          name="key"
          label="Public key of the log"
          rows={3}
          isCode
          required
          spellCheck={false}
          defaultValue={public_key?.trim()}
          help={
            isAdmin
              ? 'From the service. Compare it with a copy from elsewhere, or put that copy here.'
              : 'The output of svc audit key, from a platform admin.'
          }
        />
      </Form>
    </div>
  );
}

const fileOf = (input: EventTarget & { files?: FileList | null }) => input.files?.[0];
