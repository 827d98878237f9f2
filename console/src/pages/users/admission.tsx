import type { Answer } from '@gantry/contract/endpoint.ts';
import type { Endpoints } from '@gantry/contract/endpoints.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/form/dialog.tsx';
import { Button } from '../../parts/action/button.tsx';
import { ShownOnce } from '../../parts/form/shown-once.tsx';
import { Tick } from '../../parts/form/form.tsx';
import { When } from '../../parts/figures/when.tsx';

type Admitted = Answer<Endpoints['users.create']>;

/** How a new user, or one with a reset password, gets in: a one-time password, or a mail. */
export function Admission({ user, onClose }: { user: Admitted; onClose: () => void }) {
  if (user.one_time_password !== undefined)
    return (
      <ShownOnce title={`One-time password of ${user.email}`} value={user.one_time_password} onClose={onClose}>
        Send it with this address, where {user.email} signs in and chooses another one:{' '}
        <Copy text={`${location.origin}/sign-in`} label="the address" />
      </ShownOnce>
    );
  return (
    <Dialog title="A mail was sent" isOpen onClose={onClose}>
      <p>
        {user.email} got a link to choose a password. It works once
        {user.mail_expires_at !== null && (
          <>
            , until <When at={user.mail_expires_at} exact />
          </>
        )}
        .
      </p>
      <div className="mt-4">
        <Button look="main" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

export function OneTimePassword() {
  return (
    <Tick
      name="one_time_password"
      label="Show a one-time password, and send no mail"
      help="Without mail, the service shows one anyway."
    />
  );
}
