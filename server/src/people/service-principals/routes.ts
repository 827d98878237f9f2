import type { Handlers } from '../../governance/http/handlers.ts';
import { createPrincipal } from './create.ts';
import { deletePrincipal } from './delete.ts';
import { listPrincipals } from './list.ts';
import type { ServicePrincipalParts } from './parts.ts';
import { rotateKey } from './rotate-key.ts';
import { showPrincipal } from './show.ts';
import { updatePrincipal } from './update.ts';

export function servicePrincipalsRoutes(parts: ServicePrincipalParts): Handlers<'principals'> {
  return {
    'principals.list': async ({ caller, query }) => await listPrincipals(parts, caller, query),
    'principals.create': async ({ caller, body }) => await createPrincipal(parts, caller, body),
    'principals.show': async ({ caller, params }) => await showPrincipal(parts, caller, params.id),
    'principals.update': async ({ caller, params, body }) => await updatePrincipal(parts, caller, params.id, body),
    'principals.delete': async ({ caller, params }) => await deletePrincipal(parts, caller, params.id),
    'principals.rotate_key': async ({ caller, params, body }) =>
      await rotateKey(parts, caller, params.id, body.grace_seconds),
  };
}
