// What waits for a person: a connection to a server, and the consent for an agent that wants to call as them. A link names its ask, and an ask belongs to
// one person, so a link works for nobody else.
import { randomUUID } from 'node:crypto';
import type { ConnectionAsk } from '@gantry/contract/agents/connections.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { authorize } from '../../governance/access/authorize.ts';
import type { AgentCaller, Caller, UserCaller } from '../../governance/access/caller.ts';
import { change } from '../../governance/access/change.ts';
import { theOrg } from '../../governance/access/subject.ts';
import type { Reader } from '../../ground/database/database.ts';
import type { Link } from '../../ground/run-token.ts';
import { digestOf } from '../../assets/registry/content.ts';
import { loadAsset } from '../../assets/registry/load-asset.ts';
import { signedInUser } from '../../people/principals/signed-in.ts';
import * as store from './ask-store.ts';
import * as connections from './connection-store.ts';
import type { ConnectionParts } from './parts.ts';
import { askedServer, serverAsUser, type ServerAsUser } from './server-as-user.ts';

const link_hours = 1;
const agent_hours = 7 * 24;
/** A hostile agent must not hide one ask among thousands. */
const most_waiting = 50;

/** A link for the caller. Throws `not_found` or `not_callable`. */
export async function askToConnect(parts: ConnectionParts, caller: Caller, name: string): Promise<ConnectionAsk> {
  const user = signedInUser(caller);
  authorize(user, 'connection.change', theOrg);
  const asset = await loadAsset(parts.db, { kind: 'mcp-server', name }, user);
  authorize(user, 'asset.read', asset);
  const { version } = await serverAsUser(parts.db, asset);
  const ask = {
    id: randomUUID(),
    user_id: user.id,
    server_id: asset.id,
    server_version: version,
    agent_id: null,
    through_ids: [],
    through: [],
    writes: [],
    about: digestOf({ server: asset.id, version }),
  };
  await parts.db.transaction(async (tx) => await store.insert(tx, { ...ask, hours: link_hours }));
  const row = await store.findOpen(parts.db, ask);
  if (row === undefined) throw new Error('an ask that was made is not there');
  return await printAsk(parts, row);
}

export interface AgentAsk {
  user: UserCaller;
  server: Pick<ServerAsUser, 'asset' | 'version'>;
  /** The calling agent first. */
  through: readonly Link[];
  writes: readonly string[];
}

/** The open ask of an agent for its end caller, a refused one too. Throws `too_many_requests`. */
export async function askForAgent(
  { db }: ConnectionParts,
  caller: AgentCaller,
  { user, server: { asset, version }, through, writes }: AgentAsk,
): Promise<store.AskRow> {
  const through_ids = through.map(({ id }) => id);
  const about = digestOf({ server: asset.id, version, through: through_ids, writes });
  const known = await store.findOpen(db, { user_id: user.id, about });
  if (known !== undefined) return known;
  if ((await store.countOf(db, { user_id: user.id, most: most_waiting })) >= most_waiting)
    throw new Problem('too_many_requests', {
      detail: `${most_waiting} agents wait for a consent of ${user.label} already.`,
      hint: 'Decide about some of them first: svc connections',
    });
  const ask = {
    id: randomUUID(),
    user_id: user.id,
    server_id: asset.id,
    server_version: version,
    agent_id: caller.id,
    through_ids,
    through: through.map(({ ref }) => ref),
    writes: [...writes],
    about,
  };
  await change(db, authorize(caller, 'tool.call', theOrg), 'connection.asked', async (tx, note) => {
    if (!(await store.insert(tx, { ...ask, hours: agent_hours }))) return;
    const { id, through: refs } = ask;
    note({ ask: id, version, caller: user.label, through: refs, writes }, { asset: asset.ref, team: asset.team.name });
  });
  const row = await store.findOpen(db, { user_id: user.id, about });
  if (row === undefined) throw new Error('an ask that was made is not there');
  return row;
}

/** Throws `not_found` for an ask of another person, and `link_used`. */
export async function ownAsk(db: Reader, user: UserCaller, id: string): Promise<store.AskRow> {
  const row = await store.waiting(db, { id, user_id: user.id });
  if (row !== undefined) return row;
  throw new Problem((await store.isKnown(db, { id, user_id: user.id })) ? 'link_used' : 'not_found');
}

export async function printAsk(
  { db, base_url }: Pick<ConnectionParts, 'db' | 'base_url'>,
  row: store.AskRow,
): Promise<ConnectionAsk> {
  const { asset, address } = await askedServer(db, row);
  const connection = await connections.find(db, row);
  const { id, through, writes, asked_at, expires_at } = row;
  return {
    id,
    server: asset.ref,
    address,
    agent: row.agent_id === null ? null : (through[0] ?? null),
    through,
    writes,
    is_connected: connection !== undefined && connection.address === address && !connection.is_ended,
    link: linkOf(base_url, row),
    asked_at,
    expires_at,
  };
}

export const linkOf = (base_url: () => string, { id }: { id: string }) => `${base_url()}/connections?ask=${id}`;
