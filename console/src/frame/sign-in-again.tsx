import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Form } from '../parts/form.tsx';
import { sessionRenewed } from '../parts/session.ts';
import { queries, send } from '../server.ts';

/** Over the page, which stays as it is. */
export function SignInAgain({ email }: { email: string }) {
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
      sessionRenewed();
      await queries.invalidateQueries();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setSending(false);
    }
  };
  return (
    <Dialog
      title="Sign in again"
      about="Your session has ended. This page stays as it is."
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
