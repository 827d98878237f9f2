// Each span of the service goes to all that use spans.
import type { Database } from '../database/database.ts';
import { openExport, type ExportSettings } from './export.ts';
import { openFigures } from './figures.ts';
import { openSpans, type Spans, type SpansParts } from './spans.ts';

interface TracingParts extends SpansParts {
  figures_db: Database;
  export: ExportSettings | undefined;
  version: string;
}

export function openTracing({ figures_db, export: collector, version, ...parts }: TracingParts): Spans {
  const { onError } = parts;
  const all: Spans[] = [
    openSpans(parts),
    openFigures({ db: figures_db, onError }),
    ...(collector === undefined ? [] : [openExport(collector, { version, onError })]),
  ];
  return {
    add: (spans) => {
      for (const one of all) one.add(spans);
    },
    flush: async () => void (await Promise.all(all.map(async (one) => await one.flush()))),
    close: async () => void (await Promise.all(all.map(async (one) => await one.close()))),
  };
}
