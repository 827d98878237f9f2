import type { Span } from './traces.ts';

type Node = Pick<Span, 'span_id' | 'parent_id'>;

/** Each span after its parent, with its depth. A span without a parent in the list is at the top, and so is one of a circle. */
export function orderSpans<One extends Node>(spans: readonly One[]): { span: One; depth: number }[] {
  const known = new Set(spans.map(({ span_id }) => span_id));
  const children = Map.groupBy(spans, ({ parent_id }) => (known.has(parent_id ?? '') ? parent_id : null));
  const seen = new Set<One>();
  const ordered: { span: One; depth: number }[] = [];
  const visit = (start: One) => {
    // A list of its own, because a chain of spans can be longer than the call stack.
    const open = [{ span: start, depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { span, depth } = next;
      if (seen.has(span)) continue;
      seen.add(span);
      ordered.push(next);
      const below = children.get(span.span_id) ?? [];
      open.push(...below.map((child) => ({ span: child, depth: depth + 1 })).toReversed());
    }
  };
  for (const root of children.get(null) ?? []) visit(root);
  for (const span of spans) visit(span);
  return ordered;
}
