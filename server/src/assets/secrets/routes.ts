import type { Handlers } from '../../governance/http/handlers.ts';
import { listSecrets } from './list.ts';
import type { SecretParts } from './parts.ts';
import { moveSecret } from './move.ts';
import { removeSecret } from './remove.ts';
import { setSecret } from './set.ts';

export function secretsRoutes(parts: SecretParts): Handlers<'secrets'> {
  return {
    'secrets.list': async ({ caller, query }) => await listSecrets(parts, caller, query),
    'secrets.set': async ({ caller, body }) => await setSecret(parts, caller, body),
    'secrets.move': async ({ caller, params }) => await moveSecret(parts, caller, params.id),
    'secrets.remove': async ({ caller, params }) => await removeSecret(parts, caller, params.id),
  };
}
