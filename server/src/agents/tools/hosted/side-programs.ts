// The running programs of hosted servers that this process speaks with. Promises: two callers meet in a program only where its config says so; the row of
// a container is stored before the container is made; and a program that nobody has called for a time ends.
import { randomUUID } from 'node:crypto';
import type { shares } from '@gantry/project/asset-config/mcp-server.ts';
import { Problem } from '@gantry/contract/problems.ts';
import type { Database } from '../../../ground/database/database.ts';
import { holdLeases, type Held } from '../../../ground/queue/held-lease.ts';
import type { HostedConfig } from '../../../ground/config/hosted-settings.ts';
import { AnsweredWithError, unusable, type ServerConnection, type Upstream } from '../upstream/connect.ts';
import * as store from './side-container-store.ts';

/** For whom a program runs. */
export interface ProgramOf {
  server_id: string;
  version: string;
  image: string;
  share: (typeof shares)[number];
  agent_id: string;
  revision_id: string;
  caller_id: string;
}

/** A program that has just been started, and the connection to it. */
interface StartedProgram {
  connection: ServerConnection;
  /** Undefined while the program runs. */
  whyClosed(): Promise<string> | undefined;
}

export interface SidePrograms {
  /**
   * Runs `work` on the program, which is started first where none runs. `signal` is the caller's: its abort ends no program that still answers.
   * Throws `servers_full`, and what `start` and `work` throw.
   */
  use<T>(asked: {
    of: ProgramOf;
    upstream: Upstream;
    start: (id: string) => Promise<StartedProgram>;
    work: (on: ServerConnection) => Promise<T>;
    signal?: AbortSignal;
  }): Promise<T>;
  close(): Promise<void>;
}

interface Settings extends Pick<HostedConfig, 'most' | 'idle_ms'> {
  db: Database;
  /** Ends the program and removes its container. */
  remove: (id: string) => Promise<void>;
  owner: string;
  onError: (error: unknown) => void;
}

interface Side {
  id: string;
  opening: Promise<StartedProgram>;
  uses: number;
  isOver: boolean;
  held?: Held;
  idle?: NodeJS.Timeout;
  ending?: Promise<void>;
}

const side_lease_ms = 30_000;

export function sidePrograms({ db, remove, owner, most, idle_ms, onError }: Settings): SidePrograms {
  const shared = new Map<string, Side>();
  const all = new Set<Side>();
  const leases = holdLeases<{ id: string }>({
    lease_ms: side_lease_ms,
    renew: async (items) =>
      await store.renew(
        db,
        items.map(({ id }) => id),
        side_lease_ms,
      ),
    reason: () => new Error('the lease of a container of an MCP server is lost'),
    onError,
  });

  async function begin(side: Side, { of, start }: Pick<Parameters<SidePrograms['use']>[0], 'of' | 'start'>) {
    const asked_at = performance.now();
    const row = { id: side.id, server_id: of.server_id, server_version: of.version, owner };
    const isClaimed = await db.transaction(async (tx) => await store.claim(tx, row, { most, lease_ms: side_lease_ms }));
    if (!isClaimed) throw full(most);
    side.held = leases.hold({ id: side.id }, asked_at);
    side.held.lost.signal.addEventListener('abort', () => void end(side));
    return await start(side.id);
  }

  function end(side: Side): Promise<void> {
    side.isOver = true;
    clearTimeout(side.idle);
    for (const [name, one] of shared) if (one === side) shared.delete(name);
    side.ending ??= (async () => {
      try {
        const started = await side.opening.catch(() => undefined); // Its callers have the error.
        await started?.connection.close();
        // Without a row there is no container.
        if (side.held === undefined) return;
        await remove(side.id);
        await store.remove(db, side.id);
      } catch (error) {
        // Its lease ends, and the sweep tries again.
        onError(error);
      } finally {
        side.held?.release();
        all.delete(side);
      }
    })();
    return side.ending;
  }

  function release(side: Side, isShared: boolean): void {
    side.uses -= 1;
    if (side.uses > 0) return;
    if (side.isOver || !isShared) void end(side);
    else side.idle = setTimeout(() => void end(side), idle_ms).unref();
  }

  /** A caller who no longer waits says nothing about the program. Its answer does. */
  async function lookAgain(side: Side, isShared: boolean): Promise<void> {
    side.uses += 1;
    try {
      await (await side.opening).connection.list(0);
    } catch {
      side.isOver = true;
    } finally {
      release(side, isShared);
    }
  }

  return {
    use: async ({ of, upstream, start, work, signal }) => {
      const name = nameOf(of);
      let side = name === undefined ? undefined : shared.get(name);
      if (side === undefined || side.isOver) {
        const made: Side = { id: randomUUID(), opening: new Promise(() => {}), uses: 0, isOver: false };
        made.opening = begin(made, { of, start });
        if (name !== undefined) shared.set(name, made);
        all.add(made);
        side = made;
      }
      side.uses += 1;
      clearTimeout(side.idle);
      try {
        return await work((await side.opening).connection);
      } catch (error) {
        const why = await whyClosed(side);
        if (why !== undefined || isFailure(error)) {
          if (why === undefined && signal?.aborted === true) void lookAgain(side, name !== undefined);
          else side.isOver = true;
        }
        throw why === undefined ? error : unusable(upstream, why);
      } finally {
        release(side, name !== undefined);
      }
    },
    close: async () => {
      await Promise.all([...all].map(end));
      await leases.stop();
    },
  };
}

/** Undefined: nobody shares the program. */
function nameOf({ server_id, version, image, share, agent_id, revision_id, caller_id }: ProgramOf): string | undefined {
  const server = `${server_id} ${version} ${image}`;
  if (share === 'call') return undefined;
  return share === 'caller' ? `${server} ${agent_id} ${caller_id}` : `${server} ${revision_id}`;
}

async function whyClosed(side: Side): Promise<string | undefined> {
  const started = await side.opening.catch(() => undefined); // The caller has the error already.
  return await started?.whyClosed();
}

/** An answer with an error, or a refusal of the service, says that the program works. */
function isFailure(error: unknown): boolean {
  if (error instanceof AnsweredWithError) return false;
  return !(error instanceof Problem) || !kept.includes(error.code);
}

const kept: readonly string[] = ['tool_changed'];

function full(most: number): Problem {
  return new Problem('servers_full', {
    detail: `${most} containers of hosted MCP servers run at once, which is the limit of this installation.`,
  });
}
