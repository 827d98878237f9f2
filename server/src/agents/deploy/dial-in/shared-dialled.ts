// The connections of instances, where the roles run in several processes (docs/decisions/0187). A process at the door keeps those that instances open to
// it, and tells the database which. Every process finds one there, and fetches it from the process that has it.
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../ground/database/database.ts';
import { startLoop } from '../../../ground/queue/loop.ts';
import { connectorOf, openDialled, wait_ms, type Dialled } from './dialled.ts';
import * as store from './dialled-store.ts';
import { fetchConnection, handOverUpgrade, type HandOver } from './handed-over.ts';
import type { Upgrade } from '../../../governance/http/listening/upgrade.ts';

const tell_every_ms = 2000;
const ask_every_ms = 100;

export interface SharedDialled {
  dialled: Dialled;
  /** Absent in a process that is not at the door. */
  upgrade: Upgrade | undefined;
}

export interface Sharing extends HandOver {
  db: Database;
  /** The name of this process. */
  owner: string;
  /** `host:port` of the door of this process, for the others. Undefined in a process that takes no connections. */
  address: string | undefined;
  /** From then on, the others fetch nothing here. */
  draining: AbortSignal;
  onError: (error: unknown) => void;
}

export function openSharedDialled({ db, owner, address, draining, onError, ...way }: Sharing): SharedDialled {
  const own = address === undefined ? undefined : openDialled();
  const telling =
    own === undefined || address === undefined
      ? undefined
      : startLoop(
          async () => {
            if (draining.aborted) return await store.leave(db, owner);
            await store.tell(db, { id: owner, address, present: own.present() });
            await store.removeDead(db);
          },
          { pause_ms: tell_every_ms, failed_pause_ms: tell_every_ms, onError },
        );
  draining.addEventListener('abort', () => telling?.wake());

  async function tryOne(instance_id: string): Promise<Socket | undefined> {
    for (const { id, address: at, process } of await store.holders(db, instance_id)) {
      const wanted = { instance_id, process };
      // One that is away, or has no free connection, is one of several.
      const socket =
        id === owner ? own?.takeFree(wanted) : await fetchConnection(at, wanted, way).catch(() => undefined);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  const take = async (instance_id: string) => {
    const last = performance.now() + wait_ms;
    for (;;) {
      const socket = await tryOne(instance_id);
      if (socket !== undefined) return socket;
      if (performance.now() > last)
        throw new Error(`no process of the service had a connection of the instance within ${wait_ms / 1000} s`);
      await delay(ask_every_ms);
    }
  };

  const dialled: Dialled = {
    add: (instance_id, joined) => {
      const isNew = own?.present().some((one) => one.instance_id === instance_id) !== true;
      const isKept = own?.add(instance_id, joined) ?? false;
      if (isKept && isNew) telling?.wake();
      return isKept;
    },
    take,
    connectorTo: connectorOf(take),
    isHere: async (instance_id, process) => {
      const { is_here, is_unknown } = await store.lookFor(db, { instance_id, process });
      return is_here || is_unknown;
    },
    here: async () => await store.seenInstances(db),
    drop: async (instance_id) => {
      await own?.drop(instance_id);
      await store.forgetInstance(db, instance_id);
    },
    isOpen: async () => await store.hasDoor(db),
    close: async () => {
      await telling?.stop();
      await own?.close();
      if (own !== undefined) await store.leave(db, owner);
    },
  };
  const upgrade =
    own &&
    handOverUpgrade({ key: way.key, takeFree: (of) => (draining.aborted ? undefined : own.takeFree(of)), onError });
  return { dialled, upgrade };
}
