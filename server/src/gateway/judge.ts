import { Problem } from '@gantry/contract/problems.ts';
import type { KeyFacts } from '../keys/facts.ts';
import type { Facts } from './facts.ts';
import type { Model } from './model.ts';
import { requireOne } from './model-called.ts';

/** The model of a call, by a key that works at this moment. Throws the refusal. */
export function judge({ key, model, meant }: Facts, asked_model: string, now: string): { model: Model } {
  requireWorking(key, now);
  requireOne(asked_model, meant);
  if (model === undefined)
    throw new Problem('model_not_allowed', {
      detail: `The key ${key.prefix}… may not call ${JSON.stringify(asked_model.slice(0, 100))}, or there is no such model.`,
      hint:
        key.agent === null
          ? 'See the models of the key: GET /v1/models. A model of another team is called by its name in the catalogue. A new model: `svc model add`.'
          : 'Its models are `model.primary` and `model.fallback` of agent.yaml. A model of another team is called by its name in the catalogue. A new model: `svc model add`.',
    });
  return { model };
}

/** Throws the refusal of a key that does not work at this moment. */
export function requireWorking(key: KeyFacts, now: string): void {
  if (key.is_revoked) throw new Problem('invalid_api_key', { detail: `The key ${key.prefix}… is revoked.` });
  if (!key.is_activated)
    throw new Problem('invalid_api_key', {
      detail: `The key ${key.prefix}… is not active yet.`,
      hint: key.agent === null ? 'Claim it: svc key claim' : 'The deploy of its agent activates it.',
    });
  if (key.expires_at !== null && key.expires_at <= now)
    throw new Problem('invalid_api_key', { detail: `The key ${key.prefix}… expired at ${key.expires_at}.` });
}
