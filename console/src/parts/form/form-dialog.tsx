import type { ReactNode } from 'react';
import type { ButtonLook } from '../action/button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

export interface FormDialogProps {
  title: string;
  about?: ReactNode;
  wide?: boolean;
  /** The words of its button: what will happen. */
  send: string;
  look?: ButtonLook;
  /** The change that it sends. */
  sending: { error: unknown; isPending: boolean };
  onSend: (values: Record<string, string>) => void;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with one form. */
export function FormDialog({ title, about, wide, send, look, sending, onSend, onClose, children }: FormDialogProps) {
  return (
    <Dialog title={title} about={about} wide={wide} isOpen onClose={onClose}>
      <Form
        send={send}
        look={look}
        error={sending.error}
        isSending={sending.isPending}
        onSend={onSend}
        onCancel={onClose}
      >
        {children}
      </Form>
    </Dialog>
  );
}
