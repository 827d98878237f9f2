import { useState } from 'react';
import { Dialog } from '../parts/form/dialog.tsx';
import { Field, Form } from '../parts/form/form.tsx';
import { sessionOf } from '../parts/browser/session.ts';
import { refreshAll, send } from '../server.ts';

/** Over the page, which stays as it is. `why` is of the service. */
export function SignInAgain({ email, why }: { email: string; why: string }) {
  const [error, setError] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const signIn = async ({ email: given = '', password = '' }: Record<string, string>) => {
    setSending(true);
    setError(undefined);
    try {
      const { answer } = await send('auth.browser_session', { body: { email: given, password } });
      if (answer.must_change_password) return location.assign('/change-password');
      // Another person gets nothing of this page.
      if (given.trim().toLowerCase() !== email.toLowerCase()) return location.assign('/');
      sessionOf(email);
      refreshAll();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog
      title="Sign in again"
      about={`${reasonOf(why)} This page stays as it is.`}
      isOpen
      onClose={() => location.assign('/sign-in')}
    >
      <Form send="Sign in" error={error} isSending={isSending} onSend={(values) => void signIn(values)}>
        <Field name="email" label="E-mail" type="email" required defaultValue={email} autoComplete="username" />
        <Field name="password" label="Password" type="password" required autoComplete="current-password" />
      </Form>
    </Dialog>
  );
}

function reasonOf(why: string): string {
  if (why.includes('account is disabled'))
    return 'An admin disabled your account. It works again after an admin enables it.';
  return 'Your session was ended: by a sign-out, by an admin, or because it was too old.';
}
