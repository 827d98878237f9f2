import { useState } from 'react';
import { FormDialog, type FormDialogProps } from './form-dialog.tsx';
import { Field } from './form.tsx';

interface ConfirmProps
  extends Omit<FormDialogProps, 'look' | 'wide' | 'children'>, Partial<Pick<FormDialogProps, 'children'>> {
  /** For what cannot be undone: the name that its reader types. */
  name?: string;
}

/** Before a change that removes something. `about`: what happens, and what stays. `children`: more fields, whose values are sent. */
export function Confirm({ name, sending, children, ...rest }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const isUnconfirmed = name !== undefined && typed !== name;
  return (
    <FormDialog {...rest} look="danger" sending={{ ...sending, isPending: sending.isPending || isUnconfirmed }}>
      {children}
      {name !== undefined && (
        <Field
          name="confirmed"
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}
