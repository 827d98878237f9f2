import { isFromLoopback } from '../http/peer.ts';
import type { Handlers } from '../http/handlers.ts';
import { changePassword } from './change-password.ts';
import { exchangeKey } from './exchange-key.ts';
import { login, type LoginParts } from './login.ts';
import { resetPassword } from './reset-password.ts';
import { me, revoke } from './sessions.ts';
import { setPassword } from './set-password.ts';

export function loginRoutes(parts: LoginParts): Handlers<'auth'> & Pick<Handlers<'users'>, 'users.reset_password'> {
  return {
    'auth.login': async ({ caller, body, headers }) =>
      await login(parts, {
        ...body,
        origin: caller.origin,
        from_loopback: isFromLoopback(headers, caller.origin),
      }),
    'auth.exchange_key': async ({ caller, body }) => await exchangeKey(parts, body.key, caller.origin),
    'auth.change_password': async ({ caller, body }) => await changePassword(parts, caller, body),
    'auth.set_password': async ({ caller, body }) => await setPassword(parts, body, caller.origin),
    'users.reset_password': async ({ caller, params, body }) => await resetPassword(parts, caller, params.id, body),
    'auth.me': async ({ caller }) => me(caller),
    'auth.revoke': async ({ caller, body }) => await revoke(parts.db, caller, body.all),
  };
}
