import { useState } from 'react';
import { Field, Form, TextArea } from '../../parts/form.tsx';
import type { Wish } from './use-verification.ts';

interface VerifyFormProps {
  /** As the service says it. */
  public_key: string;
  isBusy: boolean;
  onVerify: (wish: Wish) => void;
}

export function VerifyForm({ public_key, isBusy, onVerify }: VerifyFormProps) {
  const [log, setLog] = useState<File>();
  const [anchor, setAnchor] = useState<File>();
  return (
    <div className="max-w-160">
      <Form
        send={log === undefined ? 'Verify the present log here' : `Verify ${log.name} here`}
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
            help="A file of an earlier export. Without one, the present log is read."
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
          required
          spellCheck={false}
          defaultValue={public_key.trim()}
          help="From the service. Compare it with a copy from elsewhere, or put that copy here."
        />
      </Form>
    </div>
  );
}

const fileOf = (input: EventTarget & { files?: FileList | null }) => input.files?.[0];
