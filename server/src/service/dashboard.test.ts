// The dashboard for Grafana against what /metrics prints: a renamed metric or label would leave its panels empty.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { makeSpan } from '../testing/stored/make-span.ts';
import { openMetrics } from '../models/traces/metrics.ts';

const query = z.object({ expr: z.string() });
const dashboard = z
  .object({
    panels: z.array(z.object({ title: z.string(), type: z.string(), targets: z.array(query).default([]) })),
    templating: z.object({
      list: z.array(z.object({ query: z.union([z.string(), z.object({ query: z.string() })]) })),
    }),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/guide/grafana.json'), 'utf8')));

const queries = [
  ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...dashboard.templating.list.flatMap(({ query: text }) => (typeof text === 'string' ? [] : [text.query])),
];

/** One line of each kind: calls to an agent and to a model that succeed and fail, an embedding, a refused call, and a loss. */
function exported(): { name: string; labels: Record<string, string> }[] {
  const metrics = openMetrics(() => ({ queue_full: 1 }));
  const agent = makeSpan({ name: 'invoke greeter' });
  const model = makeSpan({ source: 'gateway', kind: 'llm', provider: 'test', model: 'small' });
  metrics.add([agent, { ...agent, error: 'agent_error' }, model, { ...model, error: 'timeout' }]);
  metrics.add([
    { ...model, kind: 'embedding' },
    { ...model, provider: null, error: 'model_not_found' },
  ]);
  return metrics
    .print()
    .split('\n')
    .flatMap((line) => {
      const [, name, labels = ''] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
      return name === undefined ? [] : [{ name, labels: pairs(labels, /(\w+)="([^"]*)"/g) }];
    });
}

const pairs = (text: string, pattern: RegExp): Record<string, string> =>
  Object.fromEntries([...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]));

test('every metric in the dashboard is exported, with the labels that its query selects and sums by', () => {
  const series = exported();
  const notFound = queries.flatMap((expr) =>
    selectors(expr).filter(({ name, matches, sums_by }) => {
      const found = series.filter((each) => each.name === name && matches(each.labels));
      return !found.some(({ labels }) => sums_by.every((label) => label in labels));
    }),
  );
  expect(notFound).toEqual([]);
  expect(queries.flatMap(selectors).length).toBeGreaterThanOrEqual(queries.length);
});

test('every panel but the headings has a query, and every exported metric has a panel', () => {
  expect(dashboard.panels.filter(({ type, targets }) => (type === 'row') !== (targets.length === 0))).toEqual([]);
  const shown = new Set(queries.flatMap(selectors).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...shown].toSorted()).toEqual(
    [...new Set(exported().map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))].toSorted(),
  );
});

test('a selector with another name, label or value finds nothing', () => {
  const [known] = selectors('sum by (reason) (increase(gantry_spans_lost_total{reason="queue_full"}[5m]))');
  expect(known?.matches({ reason: 'queue_full' })).toBe(true);
  expect(known?.matches({ reason: 'other' })).toBe(false);
  expect(known?.sums_by).toEqual(['reason']);
  expect(selectors('rate(made_up[5m])').map(({ name }) => name)).toEqual(['made_up']);
});

/** The metrics of a query: all names that are no function, no label and no keyword of PromQL. */
function selectors(expr: string) {
  const sums_by = [...new Set([...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', ')))];
  const of_variable = /^label_values\((.*), (\w+)\)$/.exec(expr);
  const rest = (of_variable?.[1] ?? expr).replaceAll(/\bby \([^)]*\)/g, ' ').replaceAll(/\[[^\]]*\]/g, ' ');
  const labels = of_variable?.[2] === undefined ? sums_by : [of_variable[2]];
  return [...rest.matchAll(/\b([a-z_]\w*)\b(?:\{([^}]*)\})?(?!\w|\s*\()/g)].map(([, name = '', matchers = '']) => ({
    name,
    matches: (found: Record<string, string>) =>
      [...matchers.matchAll(/(\w+)(!=|=~|=)"([^"]*)"/g)].every(([, label = '', operator, value = '']) =>
        isMatch(found[label], operator, value),
      ),
    sums_by: labels,
  }));
}

function isMatch(found: string | undefined, operator: string | undefined, value: string): boolean {
  // A variable of the dashboard stands for each of its values.
  if (value.startsWith('$')) return found !== undefined;
  if (operator === '=~') return new RegExp(`^(${value})$`).test(found ?? '');
  return (found ?? '') === value ? operator === '=' : operator === '!=';
}
