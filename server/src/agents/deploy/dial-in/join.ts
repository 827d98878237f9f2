// A process joins as an instance: it shows a token, and the id that it made for itself. Its first join is an entry of the audit log. The token of a
// start is for one process. With the token of a revision, a process becomes one of the instances that are asked for and have no process. So
// there are never more processes than instances. The secret of the revision, which the user's code can read, proves nothing here.
import { Problem } from '@gantry/contract/problems.ts';
import { findAssetById } from '../../../assets/registry/find.ts';
import { authorize, Refusal } from '../../../governance/access/authorize.ts';
import { systemCaller, type AnonymousCaller } from '../../../governance/access/caller.ts';
import { change } from '../../../governance/access/change.ts';
import type { RecordRefusal } from '../../../governance/access/refused.ts';
import { theOrg } from '../../../governance/access/subject.ts';
import type { Upgrade } from '../../../governance/http/listening/upgrade.ts';
import { bearerOf } from '../../../governance/http/request/request-headers.ts';
import type { Database, Tx } from '../../../ground/database/database.ts';
import { insertEvent } from '../event-store.ts';
import { replaced } from '../keep/note-end.ts';
import * as replicaStore from '../replica-store.ts';
import type { Dialled } from './dialled.ts';
import { claimToken, joinOf, type JoinRow } from './join-store.ts';
import { hashed } from './join-token.ts';

interface JoinParts {
  db: Database;
  dialled: Dialled;
  recordRefusal: RecordRefusal;
  onError: (error: unknown) => void;
}

const process_id = /^[0-9a-f]{64}$/;
/** The name of a container or a pod. */
const replica_name = /^[\w.-]{1,253}$/;

export function joinUpgrade({ db, dialled, recordRefusal, onError }: JoinParts): Upgrade {
  return {
    path: '/instances/join',
    protocol: 'gantry-instance/1',
    onError,
    accept: async ({ headers, ip }) => {
      const caller: AnonymousCaller = { kind: 'anonymous', origin: { request_id: null, ip, receipts: [] } };
      const process = headers.get('x-svc-process') ?? '';
      const token = bearerOf(headers);
      if (token === undefined || !process_id.test(process)) throw new Problem('unauthenticated');
      const named = headers.get('x-svc-replica') ?? '';
      const replica = replica_name.test(named) ? named : null;
      const process_hash = hashed(process);
      const is_draining = headers.get('x-svc-draining') !== null;
      const joined = await join(db, dialled, { hash: hashed(token), process_hash, replica, is_draining });
      if ('refused' in joined) {
        const refusal = new Refusal({ code: 'join_refused', reason: joined.refused }, 'system.join', theOrg);
        await recordRefusal(caller, refusal);
        throw refusal;
      }
      return (socket) => {
        if (!dialled.add(joined.instance_id, { process: process_hash, socket })) socket.destroy();
      };
    },
  };
}

interface Joining {
  hash: string;
  process_hash: string;
  replica: string | null;
  /** It finishes its runs. It becomes no other instance than the one it is. */
  is_draining: boolean;
}

type Joined = { instance_id: string } | { refused: string };

async function join(db: Database, dialled: Dialled, joining: Joining): Promise<Joined> {
  const row = await joinOf(db, joining.hash);
  if (row !== undefined)
    return (await isOf(db, row, joining))
      ? { instance_id: row.instance_id }
      : { refused: 'Another process has joined with this token.' };
  const shared = await replicaStore.sharedToken(db, joining.hash);
  if (shared === undefined) return { refused: 'No start of an instance has this token.' };
  const instance_id = await joinAsReplica(db, dialled, { ...joining, ...shared });
  return instance_id === undefined
    ? { refused: 'As many processes have joined with this token as instances are asked for.' }
    : { instance_id };
}

async function isOf(db: Database, row: JoinRow, joining: Joining): Promise<boolean> {
  if (row.process_hash !== null) return row.process_hash === joining.process_hash;
  const { agent_id, ...entry } = row;
  if (await recordJoin(db, { agent_id }, async (tx) => ((await claimToken(tx, joining)) ? entry : undefined)))
    return true;
  // Another connection was first, of this process or of another one.
  return (await joinOf(db, joining.hash))?.process_hash === joining.process_hash;
}

async function joinAsReplica(
  db: Database,
  dialled: Dialled,
  joining: Joining & replicaStore.SharedToken,
): Promise<string | undefined> {
  const known = await replicaStore.instanceOfProcess(db, joining);
  if (known?.is_let_go === true) return undefined;
  if (known !== undefined || joining.is_draining) return known?.id;
  const here = await dialled.here();
  let found: { id: string } | undefined;
  await recordJoin(db, joining, async (tx) => {
    const held = await replicaStore.holdSharedToken(tx, joining.hash);
    if (held === undefined) return undefined;
    // Another connection of the process was first.
    found = await replicaStore.instanceOfProcess(tx, joining);
    if (found !== undefined) return undefined;
    const claimed =
      (await replicaStore.claimReplica(tx, joining, here)) ??
      (await replicaStore.addReplica(tx, joining, held.most_replicas));
    found = claimed;
    if (claimed === undefined) return undefined;
    const { id, n, had_calls } = claimed;
    const { agent_id, revision_id, target } = held;
    if (had_calls)
      await insertEvent(tx, { agent_id, target, revision_id, instance: { id, n }, kind: 'ended', ...replaced });
    return { instance_id: id, n, revision_id, target };
  });
  return found?.id;
}

/** `claim` returns what the entry says. Without that, nothing has joined. */
async function recordJoin(
  db: Database,
  { agent_id }: { agent_id: string },
  claim: (tx: Tx) => Promise<Pick<JoinRow, 'instance_id' | 'n' | 'revision_id' | 'target'> | undefined>,
): Promise<boolean> {
  const asset = await findAssetById(db, agent_id, null);
  if (asset === undefined) return false;
  const grant = authorize(systemCaller('system.join'), 'system.join', asset);
  return await change(db, grant, 'instance.joined', async (tx, note) => {
    const joined = await claim(tx);
    if (joined === undefined) return false;
    const { instance_id, n, revision_id: revision, target } = joined;
    note({ agent_id, instance_id, n, revision, target });
    return true;
  });
}
