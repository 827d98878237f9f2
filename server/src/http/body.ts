// Request bodies, bounded before they are read: JSON of at most 1 MB and 64 levels, or a stream that its reader bounds.
import type { z } from 'zod';
import type { BodyShape } from '@gantry/contract/endpoint.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { requireStorable } from './storable.ts';

const most_json_bytes = 1024 * 1024;
const most_depth = 64;
const archive_types = ['application/gzip', 'application/x-gzip', 'application/x-tar+gzip'];

export async function readBody(shape: BodyShape, request: Request): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase();
  if (shape === 'archive') {
    if (!archive_types.includes(type))
      throw new Problem('unsupported_media_type', { detail: 'Send a packed project as application/gzip.' });
    return request.body ?? new Blob([]).stream();
  }
  // `application/json; charset=utf-8` is the one parameter that clients send; anything else is not taken for JSON.
  if (!/^application\/json(; ?charset=utf-8)?$/.test(type))
    throw new Problem('unsupported_media_type', { detail: 'Send JSON as application/json.' });
  if (shape === 'raw') return request.body ?? new Blob([]).stream();
  return parseJson(await readText(request), shape);
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > most_json_bytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most_json_bytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Problem('malformed', { detail: 'The body is not UTF-8.' });
  }
}

function parseJson(text: string, schema: z.ZodType): unknown {
  if (depthOf(text) > most_depth)
    throw new Problem('malformed', { detail: `The body is nested deeper than ${most_depth} levels.` });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Problem('malformed', { detail: 'The body is not JSON.' });
  }
  const read = schema.safeParse(value);
  if (read.success) {
    requireStorable(read.data, '');
    return read.data;
  }
  throw new Problem('invalid', {
    errors: read.error.issues.map((issue): Fault => ({ pointer: `/${issue.path.join('/')}`, message: issue.message })),
  });
}

// Brackets outside strings; an upper bound is enough, and it must be known before the recursive parser runs. One pass, character by
// character: an expression that tries a string anew at every quote takes minutes over a megabyte of them, and anybody may send one.
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInString && character === '\\') at++;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth);
    else if (character === ']' || character === '}') depth--;
  }
  return deepest;
}

function tooLarge(): Problem {
  return new Problem('too_large', { detail: 'The body is larger than 1 MB.' });
}
