// A request counts for a caller before its sender is identified. A credential that has proved a caller before counts for that caller, any other
// one for the address. The name decides about places only (work-places.ts). A user and the user's own keys are one caller.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../access/caller.ts';
import { networkOf } from '../request/peer.ts';
import type { Sender } from '../request/session-cookie.ts';

export interface Sharer {
  /** The caller, or the address. */
  name: string;
  /** The credential has proved this caller. */
  identified(caller: Caller): void;
  /** The credential proves nothing any more. */
  refused(): void;
}

const most_known = 100_000;

export function sharers(): (sender: Sender) => Sharer {
  const known = new LRUCache<string, string>({ max: most_known });
  return ({ headers, origin }) => {
    const given = ['authorization', 'x-api-key', 'x-goog-api-key', 'cookie'].map((name) => headers.get(name));
    const credential = given.every((one) => one === null) ? undefined : hash('sha256', JSON.stringify(given), 'base64');
    const name = credential === undefined ? undefined : known.get(credential);
    return {
      name: name ?? `address ${networkOf(origin.ip)}`,
      identified: (caller) => {
        const proved = nameOf(caller);
        if (credential !== undefined && proved !== undefined && proved !== name) known.set(credential, proved);
      },
      refused: () => {
        if (credential !== undefined) known.delete(credential);
      },
    };
  };
}

function nameOf(caller: Caller): string | undefined {
  switch (caller.kind) {
    case 'user':
    case 'principal':
    case 'agent':
      return caller.id;
    case 'key':
      return caller.scope === 'org' || caller.scope === 'team' ? caller.id : caller.scope_id;
    case 'anonymous':
    case 'system':
      return undefined;
  }
}
