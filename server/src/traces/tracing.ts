// Each span of the service goes to all that use spans.
import type { Database } from '../database/database.ts';
import { openFigures } from './figures.ts';
import { openSpans, type Spans, type SpansParts } from './spans.ts';

export function openTracing(parts: SpansParts & { figures_db: Database }): Spans {
  const { figures_db, onError } = parts;
  const all: Spans[] = [openSpans(parts), openFigures({ db: figures_db, onError })];
  return {
    add: (spans) => {
      for (const one of all) one.add(spans);
    },
    flush: async () => void (await Promise.all(all.map(async (one) => await one.flush()))),
    close: async () => void (await Promise.all(all.map(async (one) => await one.close()))),
  };
}
