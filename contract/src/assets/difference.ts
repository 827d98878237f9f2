import { z } from 'zod';
import { reachLine } from './reach.ts';
import { json } from '../wire.ts';
import { toolDefinition } from './tools.ts';

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
  tools: z
    .array(
      z.object({
        server: z.string().describe('mcp-servers/<name>'),
        name: z.string(),
        change,
        before: toolDefinition.nullable(),
        after: toolDefinition.nullable(),
      }),
    )
    .describe(
      'the tools of its MCP servers whose text or schema is new, changed or gone, as their servers describe them',
    ),
});
export type Difference = z.output<typeof difference>;
