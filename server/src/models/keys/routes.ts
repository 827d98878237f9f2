import type { Handlers } from '../../governance/http/handlers.ts';
import { setBudget, showBudget } from './accounts/budgets.ts';
import { createKey } from './create.ts';
import { setKeyDefaults, showKeyDefaults } from './holders/key-defaults.ts';
import { listKeys, showKey } from './list.ts';
import type { KeyParts } from './parts.ts';
import { resumeKey } from './pause.ts';
import { revokeKey } from './revoke.ts';
import { claimKey, revealKey, rotateKey } from './show-value.ts';

export function keysRoutes(parts: KeyParts): Handlers<'keys' | 'budgets' | 'key_defaults'> {
  return {
    'keys.list': async ({ caller, query }) => await listKeys(parts, caller, query),
    'keys.create': async ({ caller, body }) => await createKey(parts, caller, body),
    'keys.show': async ({ caller, params }) => await showKey(parts, caller, params.id),
    'keys.claim': async ({ caller, params }) => await claimKey(parts, caller, params.id),
    'keys.reveal': async ({ caller, params }) => await revealKey(parts, caller, params.id),
    'keys.rotate': async ({ caller, params }) => await rotateKey(parts, caller, params.id),
    'keys.resume': async ({ caller, params }) => await resumeKey(parts, caller, params.id),
    'keys.revoke': async ({ caller, params }) => await revokeKey(parts, caller, params.id),
    'budgets.show': async ({ caller, query }) => await showBudget(parts, caller, query),
    'budgets.set': async ({ caller, body }) => await setBudget(parts, caller, body),
    'key_defaults.show': async ({ caller, params }) => await showKeyDefaults(parts, caller, params.team),
    'key_defaults.set': async ({ caller, params, body }) => await setKeyDefaults(parts, caller, params.team, body),
  };
}
