import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { Caller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import { ownAsk, printAsk } from './ask.ts';
import * as asks from './ask-store.ts';
import { keepConnection } from './keep-connection.ts';
import type { ConnectionParts } from './parts.ts';
import { askedServer } from './server-as-user.ts';

/** Throws `not_found`, `link_used` or `not_callable`. */
export async function connectWithKey(
  parts: ConnectionParts,
  caller: Caller,
  { id, key }: { id: string; key: string },
): Promise<ConnectionAsk> {
  const { db, envelope } = parts;
  const user = signedInUser(caller);
  const grant = authorize(user, 'connection.change', theOrg);
  const ask = await ownAsk(db, user, id);
  const { asset, address } = await askedServer(db, ask);
  await change(db, grant, 'connection.made', async (tx, note) => {
    await endOwn(tx, ask);
    const of = { user_id: user.id, server_id: asset.id, address };
    await keepConnection(tx, envelope, { ...of, oauth: null, tokens: { access: key }, expires_at: null });
    note({ address, by: 'key' }, { asset: asset.ref, team: asset.team.name });
  });
  return await printAsk(parts, ask);
}

/** A link of the person has done its work. An agent's ask goes on until the person decides. */
export async function endOwn(tx: Parameters<typeof asks.end>[0], ask: asks.AskRow): Promise<void> {
  if (ask.agent_id === null) await asks.end(tx, { id: ask.id, state: 'done', hours: 0 });
}
