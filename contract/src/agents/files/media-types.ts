// Media types of files in messages, as agent.yaml lists them.
import { z } from 'zod';

/** A type such as image/png, or each type of a kind: image/*. */
export const mediaRange = z
  .string()
  .regex(
    /^[a-z]{1,40}\/(?:\*|[a-z0-9][a-z0-9.+-]{0,100})$/,
    'must be a media type in lower case such as image/png, or a kind such as image/*',
  );

/** Without its parameters, in lower case: `text/plain` of `Text/Plain; charset=utf-8`. */
export function plainType(media_type: string): string {
  return media_type.split(';', 1).join('').trim().toLowerCase();
}

export function isListed(media_type: string, ranges: readonly string[]): boolean {
  const type = plainType(media_type);
  return ranges.some((range) => (range.endsWith('/*') ? type.startsWith(range.slice(0, -1)) : type === range));
}
