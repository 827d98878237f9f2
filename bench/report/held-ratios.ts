// The ratios to a bare row that a run may not lose. A slow machine slows both rows, so a ratio holds on every machine. The goal of such a row
// may still be missed.
import type { Section } from './report.ts';
import { ratioOf } from './table.ts';

/** By section and measure, as measured when they were written here. A better one is written here too. */
const held: HeldRatios = {
  invoke: {
    'invoke through the ingress, 8 clients': 0.53,
    'invoke through the ingress, 32 clients': 0.53,
  },
};

type HeldRatios = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The part of a held ratio that may be lost. Runs on a busy machine differ by less. */
const most_lost = 0.15;

/** A sentence for each measured section's ratio that has fallen, or that its section no longer has. */
export function fallenRatios(sections: readonly Section[], ratios: HeldRatios = held): string[] {
  return sections.flatMap(({ name, rows }) =>
    Object.entries(ratios[name] ?? {}).flatMap(([measure, before]) => {
      const row = rows.find((one) => one.measure === measure);
      if (row?.bare === undefined || row.samples.length === 0)
        return `${name}: "${measure}" was not measured, and its ratio may not be lost.`;
      const now = ratioOf(row.samples, row.bare);
      if (now >= before * (1 - most_lost)) return [];
      return `${name}: the ratio of "${measure}" has fallen from ${before.toFixed(2)} to ${now.toFixed(2)}.`;
    }),
  );
}
