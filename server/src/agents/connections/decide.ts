import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { ownAsk, printAsk } from './ask.ts';
import * as asks from './ask-store.ts';
import * as store from './connection-store.ts';
import type { ConnectionParts } from './parts.ts';
import { askedServer } from './server-as-user.ts';

/** An agent that was refused does not ask again before. */
const refused_hours = 24;

/** The consent is for what the ask shows: these assets, these tools. Throws `not_found`, `link_used` or `connection_needed`. */
export async function decideAsk(
  parts: ConnectionParts,
  caller: Caller,
  { id, decision }: { id: string; decision: 'allow' | 'refuse' },
): Promise<ConnectionAsk> {
  const { db } = parts;
  const user = signedInUser(caller);
  const grant = authorize(user, 'connection.change', theOrg);
  const ask = await ownAsk(db, user, id);
  const { asset, address } = await askedServer(db, ask);
  const [agent] = ask.through;
  if (agent === undefined) throw new Problem('link_used', { detail: 'This link connects you. No agent waits for it.' });
  const isAllowed = decision === 'allow';
  await change(db, grant, isAllowed ? 'connection.allowed' : 'connection.refused', async (tx, note) => {
    const state = isAllowed ? 'allowed' : 'refused';
    if (!(await asks.end(tx, { id, state, hours: isAllowed ? 0 : refused_hours }))) throw new Problem('link_used');
    if (isAllowed) {
      const connection = await store.lockOf(tx, { user_id: user.id, server_id: asset.id });
      if (connection === undefined || connection.address !== address || connection.is_ended)
        throw new Problem('connection_needed', { hint: `Connect first: svc connect ${asset.name}` });
      for (const [at, asset_id] of ask.through_ids.entries())
        await store.allow(tx, { connection_id: connection.id, asset_id, calls: at === 0, writes: ask.writes });
    }
    note({ ask: id, agent, through: ask.through, writes: ask.writes }, { asset: asset.ref, team: asset.team.name });
  });
  return await printAsk(parts, ask);
}
