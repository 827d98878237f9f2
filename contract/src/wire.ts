// The few shapes that all nouns' schemas use.
import { z } from 'zod';
import { isEmail, namePattern, parseVersionRef, versionPattern } from './refs.ts';

export const id = z.uuid();
/** The start of an id, as people copy it; it has only characters of ids. */
export const idPrefix = z.string().regex(/^[0-9a-f-]{1,36}$/, 'must be the beginning of an id');
export const isId = (value: unknown): value is string => id.safeParse(value).success;
export const time = z.iso.datetime().describe('UTC, ISO 8601');
export const email = z
  .string()
  .refine(isEmail, 'must be an e-mail address')
  .meta({ format: 'email' })
  .transform((text) => text.toLowerCase());
export const name = z
  .string()
  .regex(namePattern, 'must be lower-case letters, digits and hyphens, at most 63, starting with a letter');
export const version = z.string().regex(versionPattern, 'must be MAJOR.MINOR.PATCH');
export const versionRef = z
  .string()
  .refine((text) => parseVersionRef(text) !== undefined, 'must be a reference such as agents/<name>@<version>')
  .meta({ pattern: '^[a-z-]+/[a-z0-9-]+@[0-9.]+$' });
/** At most a million dollars, so that sums stay exact as numbers. */
export const usd = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,5}|1000000)(?:\.\d{1,9})?$/, 'must be decimal text of at most 1000000, such as "2.50"');
/** One schema for all: a recursive schema is described once, by its name. */
export const json = z.json();
/** A person's free text: bounded, without control characters other than line breaks and tabs. */
export const text = z
  .string()
  .max(4000)
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, 'must not hold control characters')
  .refine((value) => value.isWellFormed(), 'must be text, without halves of characters');

/** A member of a reply that is not stored: a repeated answer for an Idempotency-Key lacks it. */
export const shownOnce = (description: string) => z.string().optional().meta({ description, 'x-secret': true });

export const byId = z.strictObject({ id });
export const byName = z.strictObject({ name });

/** Every list takes these; `limit` is 1 to 200. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
};

/** The query of the lists that can count. The count costs a look at every row, so it is asked for. */
export const counting = {
  total: z.stringbool().default(false).describe('also `meta.total`: how many rows of all pages you may read'),
};
