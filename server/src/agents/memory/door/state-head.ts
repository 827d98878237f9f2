// What the first line of a body with states says. The container may send anything.
import { z } from 'zod';
import { Problem } from '@gantry/contract/problems.ts';
import { requireStorable } from '../../../governance/http/request/storable.ts';

const size = z.int().min(0);
const text = z.string().max(2000);
const id = z.string().min(1).max(200);
const type = z.string().max(100);
const nodes = z.array(text).max(10_000);

const put = z.object({
  ns: text,
  id,
  parent_id: id.nullable(),
  run_id: z.uuid().nullish(),
  type,
  size,
  metadata: z.object({ type, size }),
  versions: z.record(text, text),
  source: type,
  step: z
    .int()
    .min(-10)
    .max(2 ** 31 - 1),
  channels: z.array(z.object({ channel: text, version: text, type, size, view_size: size })).max(10_000),
});
const writes = z.object({
  ns: text,
  checkpoint_id: id,
  task_id: id,
  task_path: text,
  items: z
    .array(
      z.object({
        idx: z
          .int()
          .min(-100)
          .max(2 ** 31 - 1),
        channel: text,
        type,
        size,
      }),
    )
    .max(100_000),
});
const head = z.object({
  puts: z.array(put).max(1000).default([]),
  writes: z.array(writes).max(10_000).default([]),
  nexts: z
    .array(z.object({ ns: text, id, next: nodes }))
    .max(10_000)
    .default([]),
  tail: z.object({ interrupts_size: size, next: nodes }).nullable().default(null),
});
export type StateHead = z.output<typeof head>;

/** Throws `malformed`. */
export function readStateHead(given: unknown): StateHead {
  const read = head.safeParse(given);
  if (!read.success) {
    const [issue] = read.error.issues;
    const detail = `The first line says no states: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}.`;
    throw new Problem('malformed', { detail });
  }
  requireStorable(read.data, '');
  return read.data;
}
