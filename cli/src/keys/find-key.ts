import type { GatewayKey } from '@gantry/contract/models/keys.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Session } from '../session/session.ts';

/** By its id, or by its first 12 characters. Of a whole key only those are sent. Throws `not_found`. */
export async function findKey(session: Session, given: string): Promise<GatewayKey> {
  const key = given.startsWith('gtk_') ? given.slice(0, 12) : given;
  const { items } = await session.call('keys.list', { query: { key, all: 'true' } });
  if (items[0] !== undefined) return items[0];
  throw new Problem('not_found', {
    detail: `There is no key ${key}… that you may see.`,
    hint: 'List the keys: svc key list',
  });
}
