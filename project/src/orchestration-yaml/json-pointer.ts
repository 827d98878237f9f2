import { z } from 'zod';

/** RFC 6901; the empty text is the whole value. */
export const jsonPointer = z
  .string()
  .max(500)
  .regex(/^(?:\/(?:[^~/]|~[01])*)*$/, 'must be a JSON pointer such as /messages/0/content');
