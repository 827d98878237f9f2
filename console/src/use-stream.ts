// A stream of events while a page is open, across lost connections: each connection resumes after the last event.
import type { Send } from '@gantry/contract/client/client.ts';
import type { Answer } from '@gantry/contract/endpoint.ts';
import type { EndpointName, Endpoints } from '@gantry/contract/endpoints.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { useEffect, useState } from 'react';
import { untilSession } from './parts/browser/session.ts';
import { send } from './server.ts';

type StreamName = { [N in EndpointName]: Endpoints[N]['reply'] extends { kind: 'events' } ? N : never }[EndpointName];
type EventOf<N extends StreamName> = Answer<Endpoints[N]> extends AsyncIterable<{ data: infer Data }> ? Data : never;

interface Streamed<Item> {
  items: readonly Item[];
  /** How many were dropped because the page keeps no more. */
  dropped: number;
  /** The stored events are here, as far as one can tell. */
  isOpen: boolean;
  error: unknown;
}

interface StreamSettings<N extends StreamName, Item> {
  /** What the page keeps of an event. */
  read: (event: EventOf<N>) => Item | readonly Item[];
  /** The stream ends with it; without it, the stream never ends. */
  isLast?: (event: EventOf<N>) => boolean;
  max_items?: number;
}

// Many events become one drawing of the page.
const draw_ms = 100;
const retry_ms = 1000;
// A burst of events leaves the browser time for its frames.
const turn_ms = 10;
// A stream without events is believed to have none after this time.
const silent_ms = 800;

/** `read` and `isLast` are functions of a module. */
export function useStream<N extends StreamName, Item>(
  name: N,
  parts: Send<N>,
  { read, isLast, max_items = 50_000 }: StreamSettings<N, Item>,
): Streamed<Item> {
  const nothing: Streamed<Item> = { items: [], dropped: 0, isOpen: false, error: undefined };
  const key = JSON.stringify([name, parts]);
  const [{ of, streamed }, set] = useState({ of: key, streamed: nothing });
  useEffect(() => {
    const gone = new AbortController();
    let waiting: Item[] = [];
    const draw = (more: Partial<Streamed<Item>> = {}) => {
      const added = waiting;
      waiting = [];
      set((before) => {
        const { items, dropped, ...rest } = before.of === key ? before.streamed : nothing;
        const all = added.length === 0 ? items : [...items, ...added];
        const over = Math.max(0, all.length - max_items);
        const kept = over === 0 ? all : all.slice(over);
        return { of: key, streamed: { ...rest, items: kept, dropped: dropped + over, ...more } };
      });
    };
    const timer = setInterval(() => waiting.length > 0 && draw({ isOpen: true }), draw_ms);
    let silence: ReturnType<typeof setTimeout> | undefined;
    void (async () => {
      let last_event_id: string | undefined;
      let hasEnded = false;
      while (!hasEnded && !gone.signal.aborted) {
        try {
          const resumed = last_event_id === undefined ? {} : { last_event_id };
          const { answer } = await send(name, parts, { signal: gone.signal, ...resumed });
          draw({ error: undefined });
          silence = setTimeout(() => draw({ isOpen: true }), silent_ms);
          let began = performance.now();
          // `name` says which stream it is.
          for await (const { id, data } of answer as AsyncIterable<{ id?: string; data: EventOf<N> }>) {
            last_event_id = id ?? last_event_id;
            const item = read(data);
            if (Array.isArray(item)) waiting.push(...(item as readonly Item[]));
            else waiting.push(item as Item);
            if (isLast?.(data) === true) hasEnded = true;
            if (performance.now() - began > turn_ms) {
              await new Promise((resolve) => setTimeout(resolve));
              began = performance.now();
            }
          }
        } catch (error) {
          // Nothing was read, so a page does not say that there is nothing.
          clearTimeout(silence);
          // A lost connection and an ended session come back; another refusal stays one.
          if (error instanceof Problem && error.code !== 'unauthenticated') return draw({ error });
          draw({ isOpen: false });
          await untilSession(gone.signal);
        }
        if (!hasEnded) await new Promise((resolve) => setTimeout(resolve, retry_ms));
      }
      draw({ isOpen: true });
    })();
    return () => {
      gone.abort();
      clearInterval(timer);
      clearTimeout(silence);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key has the name and the parts; the others never change
  }, [key]);
  return of === key ? streamed : nothing;
}
