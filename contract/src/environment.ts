import { z } from 'zod';
import { environmentNamePattern, whyReserved } from './agent-yaml/environment-names.ts';

/** Environment variables of a user, without those that the service or the program loader reads. */
export const environment = z
  .record(
    z
      .string()
      .regex(environmentNamePattern, 'must be letters, digits and underscores, not starting with a digit')
      .refine((variable) => whyReserved(variable) === undefined, {
        error: ({ input }) => `cannot be set here: ${whyReserved(String(input)) ?? ''}`,
        params: { finding: 'reserved_name' },
      }),
    z
      .string()
      .max(32_768)
      .refine((value) => !value.includes('\0'), 'must not hold a NUL character')
      .refine((value) => value.isWellFormed(), 'must be text, without halves of characters'),
  )
  .refine((map) => Object.keys(map).length <= 200, 'must not hold more than 200 variables');
