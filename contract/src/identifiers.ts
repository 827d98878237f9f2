// These go into labels, arguments and file names, so they hold no spaces and no shell or markup characters.
import { z } from 'zod';
import { environmentNamePattern, whyReserved } from './agents/environment-names.ts';

export const modelId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}$/, 'must be a model identifier: letters, digits and . _ : / @ + -');
export const identifier = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}$/,
    'must be lower-case letters, digits and hyphens, at most 63, starting with a letter',
  );
export const functionName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, underscores and hyphens, at most 64');
/** A tool of an MCP server. */
export const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_./-]{1,128}$/, 'must be letters, digits and any of `_ . / -`, at most 128');
/** An environment variable of a user, and a secret, which becomes one. Without those that the service or the program loader reads. */
export const environmentName = z
  .string()
  .regex(environmentNamePattern, 'must be letters, digits and underscores, not starting with a digit')
  .refine((variable) => whyReserved(variable) === undefined, {
    error: ({ input }) => `cannot be set here: ${whyReserved(String(input)) ?? ''}`,
    params: { finding: 'reserved_name' },
  });
