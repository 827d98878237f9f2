// Each span of the service goes to all that use spans.
import type { Database } from '../../ground/database/database.ts';
import { openExport, type ExportSettings, type FindLabels } from './export.ts';
import { openFigures } from './figures.ts';
import { foldRefusals } from './fold-refusals.ts';
import { openMetrics } from './metrics.ts';
import { openSpans, type Spans, type SpanSink, type SpansParts } from './spans.ts';

interface TracingParts extends SpansParts {
  figures_db: Database;
  export: ExportSettings | undefined;
  findLabels: FindLabels;
  version: string;
}

export interface Tracing extends Spans {
  /** In the text format of Prometheus. */
  printMetrics: () => string;
}

export function openTracing({ figures_db, export: collector, version, findLabels, ...parts }: TracingParts): Tracing {
  const { onError } = parts;
  const stored = openSpans(parts);
  const figures = openFigures({ db: figures_db, onError });
  const exported = collector && openExport(collector, { version, findLabels, onError });
  const metrics = openMetrics(() => ({
    ...stored.lost(),
    ...(exported !== undefined && { not_exported: exported.dropped() }),
  }));
  const all: SpanSink[] = [figures, ...[stored, ...(exported === undefined ? [] : [exported])].map(foldRefusals)];
  return {
    add: (spans) => {
      for (const one of [...all, metrics]) one.add(spans);
    },
    lose: (reason, spans) => stored.lose(reason, spans),
    flush: async () => void (await Promise.all(all.map(async (one) => await one.flush()))),
    close: async () => void (await Promise.all(all.map(async (one) => await one.close()))),
    printMetrics: metrics.print,
  };
}
