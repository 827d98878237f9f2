import { z } from 'zod';

/** A list of at most this many entries, without repeats. */
export function listOf<Item extends z.ZodType>(item: Item, most: number) {
  return z
    .array(item)
    .max(most)
    .superRefine((items, context) => {
      const seen = new Set<string>();
      for (const [index, entry] of items.entries()) {
        const written = JSON.stringify(entry);
        if (seen.has(written))
          context.addIssue({
            code: 'custom',
            path: [index],
            message: 'is in the list twice',
            params: { finding: 'duplicate_entry' },
          });
        seen.add(written);
      }
    });
}
