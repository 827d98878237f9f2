import { isFromLoopback } from '../../governance/http/request/peer.ts';
import type { Call, Handlers } from '../../governance/http/handlers.ts';
import { changePassword } from './change-password.ts';
import { exchangeKey } from './exchange-key.ts';
import { login, type LoginParts } from './login.ts';
import { resetPassword } from './reset-password.ts';
import { me, revoke } from './sessions.ts';
import { setPassword } from './set-password.ts';
import { token_lifetime_seconds } from './token.ts';

export function loginRoutes(parts: LoginParts): Handlers<'auth'> & Pick<Handlers<'users'>, 'users.reset_password'> {
  const signIn = async (
    way: 'bearer' | 'cookie',
    { caller: { origin }, body, headers }: Call<'auth.login' | 'auth.browser_session'>,
  ) => await login(parts, { ...body, origin, from_loopback: isFromLoopback(headers, origin), way });
  return {
    'auth.login': async (call) => await signIn('bearer', call),
    'auth.browser_session': async (call) => {
      call.cookie.requireOwnPage();
      const { access_token, ...session } = await signIn('cookie', call);
      call.cookie.set(access_token, token_lifetime_seconds);
      return session;
    },
    'auth.exchange_key': async ({ caller, body }) => await exchangeKey(parts, body.key, caller.origin),
    'auth.change_password': async ({ caller, body }) => await changePassword(parts, caller, body),
    'auth.set_password': async ({ caller, body }) => await setPassword(parts, body, caller.origin),
    'users.reset_password': async ({ caller, params, body }) => await resetPassword(parts, caller, params.id, body),
    'auth.me': async ({ caller }) => await me(parts.db, caller),
    'auth.revoke': async ({ caller, body, cookie }) => {
      await revoke(parts.db, caller, body.all);
      if (cookie.is_sent) cookie.clear();
    },
  };
}
