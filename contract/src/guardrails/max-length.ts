import { z } from 'zod';

export const maxLengthOptions = z
  .strictObject({
    output_characters: z.int().min(1).max(10_000_000).optional().describe('The longest answer, in characters'),
    input_characters: z.int().min(1).max(10_000_000).optional().describe('The longest input, in characters'),
  })
  .refine(
    ({ output_characters, input_characters }) => output_characters !== undefined || input_characters !== undefined,
    {
      error: 'needs `output_characters` or `input_characters`',
    },
  );
