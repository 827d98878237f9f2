import { z } from 'zod';

/** A pattern in RE2's syntax. The service compiles it at a deploy; RE2 reads every text in linear time. */
export const pattern = z.strictObject({
  pattern: z.string().min(1).max(500).describe('A regular expression in the syntax of RE2'),
});
