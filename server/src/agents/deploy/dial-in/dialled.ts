// Connections that instances without an address of their own have opened to the door (docs/decisions/0125). They lie here, by instance, until the
// service needs one for a request. Each then belongs to the client of the request, which proves the instance on it as on any other connection.
// A broken connection ends no run: the process of the instance opens new ones.
import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';

export interface Dialled {
  /** Keeps the connection until it is needed. False when the instance has enough of them. */
  add(instance_id: string, joined: { process: string; socket: Socket }): boolean;
  /** One connection. Waits for it for a short time. */
  take(instance_id: string): Promise<Socket>;
  /** As undici wants it. */
  connectorTo(instance_id: string): buildConnector.connector;
  /** True while the process has a connection, or has lost its last one a short time ago: a broken network is no dead process. */
  isHere(instance_id: string, process: string): Promise<boolean>;
  /** The instances that have a process here. */
  here(): Promise<string[]>;
  /** Its connections end, and its process is here no more. */
  drop(instance_id: string): Promise<void>;
  /** False while no process takes such connections. */
  isOpen(): Promise<boolean>;
  close(): Promise<void>;
}

/** The connections to this process. */
export interface OwnDialled extends Dialled {
  /** A connection of this process of the instance that is free now. */
  takeFree(of: { instance_id: string; process: string }): Socket | undefined;
  /** The instances with a free connection. */
  present(): { instance_id: string; process: string }[];
}

// An instance keeps four.
const most_free = 32;
// An instance opens a new connection at the latest after three seconds.
export const wait_ms = 5000;
/** Longer than the longest pause of an instance between two attempts, and long enough for a restart of the service. */
export const away_ms = 10_000;
const max_seen = 10_000;
const suffix = '.dialled.invalid';

/**
 * In place of an address, for an instance that dials in. The name is never looked up (RFC 6761). An instance whose process is replaced without
 * a start of the service gets another one with the process.
 */
export function dialledUrl(instance_id: string, process?: string): string {
  return `http://${instance_id}${process === undefined ? '' : `.${process.slice(0, 16)}`}${suffix}`;
}

export function isDialled(url: string): boolean {
  return new URL(url).hostname.endsWith(suffix);
}

interface Joined {
  process: string;
  free: Set<Socket>;
}

export function openDialled(): OwnDialled {
  const opened_at = performance.now();
  /** When an instance last had a connection, and of which process. */
  const seen = new LRUCache<string, { process: string; at: number }>({ max: max_seen });
  const joined = new Map<string, Joined>();
  const waiting = new Map<string, Set<(socket: Socket) => void>>();

  // How each free connection stops being one.
  const watched = new WeakMap<Socket, () => void>();

  const of = (instance_id: string, process: string): Joined => {
    const known = joined.get(instance_id);
    if (known?.process === process) return known;
    // The process before has ended.
    for (const socket of known?.free ?? []) socket.destroy();
    const now = { process, free: new Set<Socket>() };
    joined.set(instance_id, now);
    return now;
  };

  const keep = (instance_id: string, at: Joined, socket: Socket) => {
    const leave = () => {
      at.free.delete(socket);
      if (joined.get(instance_id) === at) seen.set(instance_id, { process: at.process, at: performance.now() });
      if (at.free.size === 0 && joined.get(instance_id) === at) joined.delete(instance_id);
    };
    at.free.add(socket);
    socket.once('close', leave);
    watched.set(socket, () => {
      socket.off('close', leave);
      leave();
    });
  };
  const freeOne = (instance_id: string): Socket | undefined => {
    // The newest is the least likely to have broken unseen.
    for (const socket of [...(joined.get(instance_id)?.free ?? [])].toReversed()) {
      watched.get(socket)?.();
      release(socket);
      if (!socket.destroyed) return socket;
    }
    return undefined;
  };

  const isRecent = (at: number) => performance.now() - at < away_ms;

  const take = async (instance_id: string): Promise<Socket> => {
    const free = freeOne(instance_id);
    if (free !== undefined) return free;
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const all = waiting.get(instance_id) ?? new Set();
    waiting.set(instance_id, all.add(resolve));
    const timer = setTimeout(() => {
      reject(new Error(`the instance has opened no connection within ${wait_ms / 1000} s`));
    }, wait_ms);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      all.delete(resolve);
      if (all.size === 0 && waiting.get(instance_id) === all) waiting.delete(instance_id);
    }
  };

  return {
    add: (instance_id, { process, socket }) => {
      const at = of(instance_id, process);
      seen.set(instance_id, { process, at: performance.now() });
      const [first] = waiting.get(instance_id) ?? [];
      if (first !== undefined) {
        waiting.get(instance_id)?.delete(first);
        first(socket);
        return true;
      }
      if (at.free.size >= most_free) return false;
      guard(socket);
      keep(instance_id, at, socket);
      return true;
    },
    take,
    takeFree: ({ instance_id, process }) =>
      joined.get(instance_id)?.process === process ? freeOne(instance_id) : undefined,
    present: () => [...joined].map(([instance_id, { process }]) => ({ instance_id, process })),
    connectorTo: connectorOf(take),
    isHere: async (instance_id, process) => {
      const known = joined.get(instance_id) ?? seen.get(instance_id);
      // After a restart of the service, its processes come back within this time.
      if (known === undefined) return isRecent(opened_at);
      return known.process === process && ('free' in known || isRecent(known.at));
    },
    here: async () => [...joined.keys(), ...[...seen].flatMap(([id, { at }]) => (isRecent(at) ? [id] : []))],
    drop: async (instance_id) => {
      for (const socket of joined.get(instance_id)?.free ?? []) socket.destroy();
      joined.delete(instance_id);
      // Also when it was not seen: it is known to be away.
      seen.set(instance_id, { process: '', at: -Infinity });
    },
    isOpen: async () => true,
    close: async () => {
      for (const { free } of joined.values()) for (const socket of free) socket.destroy();
    },
  };
}

/** As undici wants it. */
export function connectorOf(take: Dialled['take']): Dialled['connectorTo'] {
  return (instance_id) => {
    const taking = callbackify(async () => await take(instance_id));
    return (_, done) => taking((error, socket) => done(...(error === null ? [null, socket] : [error, null])));
  };
}

/** An instance speaks only when it is asked. */
function guard(socket: Socket): void {
  socket.on('readable', readNothing);
  socket.on('end', endNow);
  socket.on('error', endNow);
}

function release(socket: Socket): void {
  socket.off('readable', readNothing);
  socket.off('end', endNow);
  socket.off('error', endNow);
}

function readNothing(this: Socket): void {
  if (this.read() !== null) this.destroy();
}

function endNow(this: Socket): void {
  this.destroy();
}
