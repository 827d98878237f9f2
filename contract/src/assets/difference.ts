import { z } from 'zod';
import { reachLine } from './reach.ts';
import { json } from '../wire.ts';

const change = z.enum(['added', 'removed', 'changed']);
const bytes = z.number().int().nullable();

/** The changes between two contents; against nothing, everything is added. */
export const difference = z.object({
  config: z.array(z.object({ path: z.string(), before: json, after: json })),
  files: z.array(
    z.object({
      path: z.string(),
      change,
      before_bytes: bytes,
      after_bytes: bytes,
      diff: z
        .string()
        .nullable()
        .describe('unified diff, for callers who may write the asset; without it, `no_diff` has the reason'),
      no_diff: z.enum(['not_permitted', 'binary', 'too_large']).nullable(),
    }),
  ),
  dependencies: z.array(z.object({ package: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  base_image: z.object({ before: z.string(), after: z.string() }).nullable(),
  reach: z
    .array(reachLine)
    .describe('all that it reaches, the widest first, and what it no longer reaches; each with its change'),
});
export type Difference = z.output<typeof difference>;
