// The header X-Guardrails, a dictionary of RFC 8941: `pii_detection;redacted=2, content_filter;blocked`.
import type { Done } from './guarded-call.ts';

type Counted = Done & { count: number };

/** Empty when no rule ran. */
export function printDone(done: readonly Counted[]): string {
  const rules = [...Map.groupBy(done, ({ rule }) => rule)];
  return rules
    .map(([rule, all]) => {
      const counts = [...Map.groupBy(all, ({ outcome }) => outcome)]
        .filter(([outcome]) => outcome !== 'checked')
        .map(([outcome, ones]) => `;${outcome}=${ones.reduce((sum, { count }) => sum + count, 0)}`);
      return rule + counts.join('');
    })
    .join(', ');
}

export function guardrailsHeader(done: readonly Counted[]): Record<string, string> {
  const printed = printDone(done);
  return printed === '' ? {} : { 'x-guardrails': printed };
}

/** For a stream of a model. Clients of vendors skip a comment. */
export function guardrailsComment(done: readonly Counted[]): string {
  return `: x-guardrails: ${printDone(done)}\n\n`;
}
