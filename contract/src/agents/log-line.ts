import { z } from 'zod';

/** A line that the container of an agent has written. */
export const logLine = z.object({
  at: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  line: z.string(),
  revision: z.string(),
  instance: z
    .number()
    .int()
    .nullable()
    .describe('counts the instances of the revision; null for a failed start and for a rebuilt image'),
});
