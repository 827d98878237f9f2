import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Field, Form } from './form.tsx';

interface ConfirmProps {
  title: string;
  /** What happens, and what stays. */
  about: ReactNode;
  /** For what cannot be undone: the name that its reader types. */
  name?: string;
  send: string;
  error: unknown;
  isSending: boolean;
  /** More fields, whose values are sent. */
  children?: ReactNode;
  onSend: (values: Record<string, string>) => void;
  onClose: () => void;
}

/** Before a change that removes something. */
export function Confirm({ title, about, name, send, error, isSending, children, onSend, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} about={about} isOpen onClose={onClose}>
      <Form
        send={send}
        look="danger"
        error={error}
        isSending={isSending || (name !== undefined && typed !== name)}
        onSend={onSend}
        onCancel={onClose}
      >
        {children}
        {name !== undefined && (
          <Field
            name="confirmed"
            label={`Type ${name} to confirm`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Form>
    </Dialog>
  );
}
