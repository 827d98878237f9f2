// Request bodies, bounded before they are read: JSON of at most 1 MB and 64 levels, or what the handler itself reads and bounds.
import type { z } from 'zod';
import type { BodyShape } from '@gantry/contract/endpoint.ts';
import { Problem, type Fault } from '@gantry/contract/problems.ts';
import { steadyBody } from './steady-body.ts';
import { requireStorable } from './storable.ts';

const most_json_bytes = 1024 * 1024;
const most_depth = 64;
const archive_types = ['application/gzip', 'application/x-gzip', 'application/x-tar+gzip'];

/** A raw one is left for its handler to read, with `readBytes`. */
export async function readBody(shape: BodyShape, request: Request): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').toLowerCase();
  if (shape === 'archive') {
    if (!archive_types.includes(type))
      throw new Problem('unsupported_media_type', { detail: 'Send a packed project as application/gzip.' });
    return steadyBody(request.body ?? new Blob([]).stream());
  }
  // `application/json; charset=utf-8` is the one parameter that clients send; anything else is not taken for JSON.
  if (!/^application\/json(; ?charset=utf-8)?$/.test(type))
    throw new Problem('unsupported_media_type', { detail: 'Send JSON as application/json.' });
  if (shape === 'raw') return undefined;
  return parseJson(await readText(request), shape);
}

/** The whole body as it came. Throws `too_large` past so many bytes: before the first is read where their number was announced. */
export async function readBytes(request: Request, most_bytes: number): Promise<Buffer> {
  const announced = request.headers.get('content-length');
  if (Number(announced ?? 0) > most_bytes) throw tooLarge(most_bytes);
  // Node's parser ends the body after as many bytes as were announced.
  if (announced !== null) return Buffer.from(await request.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > most_bytes) throw tooLarge(most_bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function readText(request: Request): Promise<string> {
  const bytes = await readBytes(request, most_json_bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
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

function tooLarge(most_bytes: number): Problem {
  return new Problem('too_large', { detail: `The body is larger than ${most_bytes / 1024 ** 2} MB.` });
}
