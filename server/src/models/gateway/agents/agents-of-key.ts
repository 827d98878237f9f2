import { Problem } from '@gantry/contract/problems.ts';
import type { KeyCaller } from '../../../governance/access/caller.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { keyForAgents, type KeyForAgents } from '../../keys/calls/facts.ts';
import { clock } from '../../ledger/accounts.ts';
import { requireWorking } from '../judging/judge.ts';
import { agentNamed } from './agent-models.ts';

/**
 * The names of the agents that the key names, each by itself: a pattern such as `*` stands for models. Only a person and a service principal
 * call agents by a key. Throws `invalid_api_key` and `key_paused` for a key that does not work at this moment.
 */
export async function agentsOfKey(db: Reader, caller: KeyCaller): Promise<string[]> {
  // The key of an agent lists its models while its deploy starts it.
  if (!isOfCaller(caller)) return [];
  const { models } = await workingKey(db, caller);
  return models.flatMap((model) => agentNamed(model) ?? []);
}

/** Throws `model_not_allowed` too. */
export async function requireAgentOfKey(db: Reader, caller: KeyCaller, name: string): Promise<void> {
  const { prefix, models } = await workingKey(db, caller);
  if (caller.scope === 'agent')
    throw new Problem('model_not_allowed', {
      detail: `The key ${prefix}… belongs to an agent, which calls other agents as its subagents alone.`,
      hint: `Name agents/${name} under \`subagents\` of its agent.yaml, and deploy that.`,
    });
  if (!isOfCaller(caller))
    throw new Problem('model_not_allowed', {
      detail: `The key ${prefix}… belongs to ${caller.scope === 'org' ? 'the organisation' : 'a team'}, and only a person or a service principal calls an agent.`,
      hint: `Create a key of your own: svc key create --models agents/${name}`,
    });
  if (!models.includes(`agents/${name}`))
    throw new Problem('model_not_allowed', {
      detail: `The key ${prefix}… does not name agents/${name}. A pattern such as * stands for models alone.`,
      hint: `Create a key that does: svc key create --models agents/${name}`,
    });
}

const isOfCaller = ({ scope }: KeyCaller) => scope === 'user' || scope === 'principal';

async function workingKey(db: Reader, { id }: KeyCaller): Promise<KeyForAgents> {
  const [key, now] = await Promise.all([keyForAgents(db, id), clock(db)]);
  if (key === undefined) throw new Problem('invalid_api_key');
  // Only the key of an agent works before its activation, and it calls none.
  requireWorking(key, { now, starting: new Set() });
  if (key.is_paused)
    throw new Problem('key_paused', {
      detail: `The key ${key.prefix}… is paused: a call cost more than was held for it.`,
      hint: 'An admin of its team ends the pause: svc key resume',
    });
  return key;
}
