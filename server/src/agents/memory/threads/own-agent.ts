// The agent whose threads a caller asks for, and the caller's place there. Threads are the caller's while the caller may call the agent.
import { Problem } from '@gantry/contract/problems.ts';
import { isId } from '@gantry/contract/wire.ts';
import { authorize, type Grant } from '../../../governance/access/authorize.ts';
import type { Caller } from '../../../governance/access/caller.ts';
import type { AssetRecord } from '../../../assets/registry/find.ts';
import { loadAsset } from '../../../assets/registry/load-asset.ts';
import { signedIn } from '../../../people/principals/signed-in.ts';
import type { Reader } from '../../../ground/database/database.ts';
import { nameThread, type ThreadName } from '../../invoke/turns.ts';
import * as store from '../thread-store.ts';
import type { ThreadRow } from '../thread-store.ts';

export interface OwnAgent {
  agent: AssetRecord;
  owner_id: string;
  grant: Grant;
  /** A thread of a caller who calls the agent alone. */
  named: (name: string) => ThreadName;
}

/** Throws `not_found` and the refusal. */
export async function ownAgent(db: Reader, caller: Caller, name: string): Promise<OwnAgent> {
  const agent = await loadAsset(db, { kind: 'agent', name }, caller);
  const user = signedIn(caller);
  const grant = authorize(user, 'asset.invoke', agent);
  return {
    agent,
    owner_id: user.id,
    grant,
    named: (thread) => nameThread({ agent_id: agent.id, owner_id: user.id }, thread),
  };
}

/** By its name, else by its id. */
export async function findOwn(db: Reader, named: ThreadName): Promise<ThreadRow | undefined> {
  return (
    (await store.findByName(db, named)) ??
    (isId(named.name) ? await store.findById(db, { ...named, id: named.name }) : undefined)
  );
}

/** Throws `not_found`, also for another caller's thread. */
export async function ownThread(db: Reader, { agent, named }: OwnAgent, thread: string): Promise<ThreadRow> {
  const found = await findOwn(db, named(thread));
  if (found === undefined) throw new Problem('not_found', { detail: `You have no such thread with ${agent.ref}.` });
  return found;
}
