import type { Handlers } from '../http/handlers.ts';
import { createKey } from './create.ts';
import { listKeys, showKey } from './list.ts';
import type { KeyParts } from './parts.ts';
import { revokeKey } from './revoke.ts';

export function keysRoutes(parts: KeyParts): Handlers<'keys'> {
  return {
    'keys.list': async ({ caller, query }) => await listKeys(parts, caller, query),
    'keys.create': async ({ caller, body }) => await createKey(parts, caller, body),
    'keys.show': async ({ caller, params }) => await showKey(parts, caller, params.id),
    'keys.revoke': async ({ caller, params }) => await revokeKey(parts, caller, params.id),
  };
}
