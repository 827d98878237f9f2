import { Problem } from '@gantry/contract/problems.ts';
import type { KeyFacts } from '../../keys/calls/facts.ts';
import { commandToAdd } from '../catalogue/agent-models.ts';
import type { Facts } from '../admission/facts.ts';
import type { Model } from '../model.ts';
import { requireOne } from '../catalogue/model-called.ts';

/** The model of a call, by a key that works at this moment. Throws the refusal. */
export function judge({ key, model, meant }: Facts, asked_model: string, at: Moment): { model: Model } {
  requireWorking(key, at);
  requireOne(asked_model, meant);
  if (model === undefined)
    throw new Problem('model_not_allowed', {
      detail: `The key ${key.prefix}… may not call ${JSON.stringify(asked_model.slice(0, 100))}, or there is no such model.`,
      hint: key.agent === null ? `See the models of the key: GET /v1/models. ${other}` : hintForAgent(key, asked_model),
    });
  return { model };
}

const other =
  'A model of another team is called by its name in the catalogue. A new model: `svc model add <name> --provider <provider>`.';

/** Without a model in agent.yaml, the key of an agent is for all models of its team. */
function hintForAgent({ models, team }: KeyFacts, asked: string): string {
  if (!models.includes('*') && !models.includes(asked))
    return `agent.yaml allows ${models.join(' and ')}. Call one of them, or name this one as \`model.primary\` or \`model.fallback\` and deploy again.`;
  // The agent chooses the name, and a person copies the command.
  if (team === null || !plainName.test(asked)) return other;
  return `Add it: \`${commandToAdd(asked, team)}\`. A model of another team is called by its name in the catalogue.`;
}

const plainName = /^[A-Za-z0-9][\w.:/-]{0,99}$/;

interface Moment {
  now: string;
  /** The keys whose deploy starts their container. */
  starting: ReadonlySet<string>;
}

/** Throws the refusal of a key that does not work at this moment. */
export function requireWorking(key: KeyFacts, { now, starting }: Moment): void {
  if (key.is_revoked) throw new Problem('invalid_api_key', { detail: `The key ${key.prefix}… is revoked.` });
  if (!key.is_activated && !starting.has(key.id))
    throw new Problem('invalid_api_key', {
      detail: `The key ${key.prefix}… is not active yet.`,
      hint:
        key.agent === null
          ? 'Claim it: svc key claim'
          : 'It works while the deploy of its agent starts the container, and from the registration.',
    });
  if (key.expires_at !== null && key.expires_at <= now)
    throw new Problem('invalid_api_key', { detail: `The key ${key.prefix}… expired at ${key.expires_at}.` });
}
