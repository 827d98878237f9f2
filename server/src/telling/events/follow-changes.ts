// The changes that one reader may read, decided for each batch by the reader's rights at that moment.
import type { LiveChange } from '@gantry/contract/telling/events.ts';
import type { StreamEvent } from '@gantry/contract/endpoint.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedInCaller } from '../../governance/access/caller.ts';
import { poll_ms } from '../../governance/audit/recent-heads.ts';
import type { Reader } from '../../ground/database/database.ts';
import { findReadable } from '../../assets/registry/find.ts';
import type { Change } from './changes-of-entries.ts';
import type { Feed, Position } from './feed.ts';
import { assetOf, mayReadChange } from './policy.ts';

export interface Following {
  /** Throws when the reader may no longer read. */
  readerNow: () => Promise<SignedInCaller>;
  /** The last event of an earlier stream. */
  from: Position | undefined;
  signal: AbortSignal;
}

export async function* followChanges(
  db: Reader,
  feed: Feed,
  { readerNow, from, signal }: Following,
): AsyncGenerator<StreamEvent<LiveChange>> {
  await feed.refresh();
  let at = from ?? feed.position();
  if (from === undefined) yield { id: at, data: { kind: 'connected', id: null } };
  while (!signal.aborted) {
    const changes = feed.after(at);
    const position = feed.position();
    if (changes === undefined) yield { id: position, data: { kind: 'everything', id: null } };
    else if (changes.length > 0) {
      const shown = await readable(db, await readerNow(), changes);
      for (const [index, { kind, id, name }] of shown.entries()) {
        // The last one has the position: a stream that breaks in between gets all of them again.
        const end = index === shown.length - 1 ? { id: position } : {};
        yield { ...end, data: { kind, id, ...(name === undefined ? {} : { name }) } };
      }
    }
    at = position;
    await delay(poll_ms, undefined, { signal }).catch(() => {}); // the reader left
    if (!signal.aborted) await feed.refresh();
  }
}

/** Each once, however often it changed. */
async function readable(db: Reader, reader: SignedInCaller, changes: readonly Change[]): Promise<Change[]> {
  const ids = new Set(changes.flatMap(({ about }) => assetOf(about) ?? []));
  const assets = new Map((await findReadable(db, reader, [...ids])).map((asset) => [asset.id, asset]));
  const shown = changes.filter(({ about }) => mayReadChange(reader, about, assets.get(assetOf(about) ?? '')));
  return [...new Map(shown.map((change) => [`${change.kind} ${change.id} ${change.name}`, change])).values()];
}
