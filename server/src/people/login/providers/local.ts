import type { Database } from '../../../ground/database/database.ts';
import { findCredential } from '../../principals/find.ts';
import type { Passwords } from '../password.ts';
import type { Provider, ShownPassword } from './provider.ts';

/** The service's own accounts. An unknown account, one without a password and a wrong password take the same time. */
export function local({ db, passwords }: { db: Database; passwords: Passwords }): Provider<ShownPassword> {
  return {
    prove: async ({ email, password, from_loopback }) => {
      const user = await findCredential(db, email);
      const password_hash = user?.password_hash ?? undefined;
      const matches = await passwords.matches(password, password_hash);
      if (user === undefined || password_hash === undefined || !matches || !user.active) return undefined;
      if (user.seed_credential && !from_loopback) return undefined;
      return { provider: 'local', subject: user.id, password_hash };
    },
  };
}
