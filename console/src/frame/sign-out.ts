import { send } from '../server.ts';

export async function signOut(): Promise<void> {
  await send('auth.revoke', { body: {} });
  location.assign('/sign-in');
}
