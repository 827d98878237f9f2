import { z } from 'zod';
import { environmentName } from '../identifiers.ts';

export const environment = z
  .record(
    environmentName,
    z
      .string()
      .max(32_768)
      .refine((value) => !value.includes('\0'), 'must not hold a NUL character')
      .refine((value) => value.isWellFormed(), 'must be text, without halves of characters'),
  )
  .refine((map) => Object.keys(map).length <= 200, 'must not hold more than 200 variables');
