import { z } from 'zod';
import { parseRef } from './refs.ts';
import type { AssetKind } from './roles.ts';

/** `agents/x` and `{ref: agents/x}` mean the same, and a config holds the second. */
export function refTo(kind: AssetKind, segment: string) {
  const ref = z
    .string()
    .refine((written) => parseRef(written)?.kind === kind, `must be ${segment}/<name>`)
    .meta({ examples: [`${segment}/<name>`] });
  return { text: ref.transform((written) => ({ ref: written })), map: z.strictObject({ ref }) };
}
