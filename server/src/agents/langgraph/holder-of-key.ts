// A request with a gateway key in `x-api-key`, as the SDKs send it by default. The key names the agent, and its holder is the caller, as when the key
// names the agent as a model. The end of the key ends the answer.
import { Problem } from '@gantry/contract/problems.ts';
import type { Caller, KeyCaller, SignedInCaller } from '../../governance/access/caller.ts';
import type { Reply } from '../../governance/http/answer/reply.ts';
import { requireAgentOfKey } from '../../models/gateway/agents/agents-of-key.ts';
import { answerWhileKeyWorks } from '../../models/gateway/agents/while-key-works.ts';
import { loadIdentity } from '../../people/service-principals/load-caller.ts';
import type { Ingress } from '../invoke/ingress.ts';

interface Asked {
  caller: Caller;
  params: { name: string };
  signal: AbortSignal;
}

/** The same handlers, which get the holder of a key as their caller. */
export function forHolders<All extends object>(ingress: Pick<Ingress, 'db' | 'models'>, handlers: All): All {
  const all = Object.entries(handlers).map(([name, handler]) => [
    name,
    // Each handler of this surface takes the parts of a call of an agent, and gives a reply or nothing.
    async (call: Asked) => await forHolder(ingress, call, handler as (call: Asked) => Promise<Reply | void>),
  ]);
  // The names are those of the handlers.
  return Object.fromEntries(all) as All;
}

/** Throws the refusals of the gateway for a key that does not work, or does not name the agent. */
async function forHolder(
  { db, models }: Pick<Ingress, 'db' | 'models'>,
  call: Asked,
  handle: (call: Asked) => Promise<Reply | void>,
): Promise<Reply | void> {
  const { caller: key, params, signal: client } = call;
  if (key.kind !== 'key') return await handle(call);
  await requireAgentOfKey(db, key, params.name);
  const caller = await holderOf(db, key);
  const { open_calls } = await models();
  return await answerWhileKeyWorks(
    open_calls,
    { key_id: key.id, client },
    async (signal) => await handle({ ...call, caller, signal }),
  );
}

async function holderOf(db: Ingress['db'], key: KeyCaller): Promise<SignedInCaller> {
  const holder = await loadIdentity(db, key.scope_id, key.origin);
  if (holder === undefined)
    throw new Problem('forbidden', { detail: 'The account of the caller is no longer active.' });
  return holder;
}
