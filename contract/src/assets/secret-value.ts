import { z } from 'zod';

export const max_secret_bytes = 64 * 1024;

/** The fault of a value, without the value. */
export function faultOfSecret(value: string): string | undefined {
  if (value === '') return 'is empty';
  if (value.includes('\0')) return 'contains a NUL character';
  if (!value.isWellFormed()) return 'is no valid UTF-8';
  if (new TextEncoder().encode(value).length > max_secret_bytes) return 'is over 64 KB';
  return undefined;
}

/** A value that enters, and that no endpoint answers. */
export const secretValue = z
  .string()
  .superRefine((value, context) => {
    const message = faultOfSecret(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ writeOnly: true, minLength: 1, maxLength: max_secret_bytes });
