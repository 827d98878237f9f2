// An OpenAPI document of somebody else as a plain value, and its local references. Must never happen: a document that costs more than seconds, reads another
// address, or ends the process.
import { parse } from 'yaml';
import { beyondYamlLimits } from '../read-yaml/limits.ts';

/** The document, or a part of it, cannot be used. The message is for its reader. */
export class OpenApiFault extends Error {}

export type Json = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  root: Json;
  /** 3.0 has a dialect of JSON Schema of its own. */
  isOld: boolean;
}

/** 4 MB, and deeper than any document of a person. */
const documentLimits = { characters: 4_000_000, tokens: 1_000_000, depth: 64 } as const;

/** Throws `OpenApiFault`. */
export function readDocument(text: string): OpenApiDocument {
  const root = objectOf(valueOf(text));
  const openapi = root?.['openapi'];
  if (root === undefined || typeof openapi !== 'string')
    throw new OpenApiFault(
      root?.['swagger'] === undefined
        ? 'This is no OpenAPI document: it has no `openapi`.'
        : 'This is a document of Swagger 2.0. Convert it to OpenAPI 3.0 or 3.1.',
    );
  const [, minor] = /^3\.([01])(?:\.|$)/.exec(openapi) ?? [];
  if (minor === undefined) throw new OpenApiFault(`OpenAPI ${openapi.slice(0, 20)} is not read; 3.0 and 3.1 are.`);
  return { root, isOld: minor === '0' };
}

function valueOf(text: string): unknown {
  if (text.length > documentLimits.characters)
    throw new OpenApiFault(`The document has more than ${documentLimits.characters} characters.`);
  try {
    return JSON.parse(text);
  } catch {
    // YAML then, which includes JSON with faults.
  }
  const beyond = beyondYamlLimits(text, documentLimits);
  if (beyond !== undefined) throw new OpenApiFault(`${beyond.message}.`);
  try {
    return parse(text, { maxAliasCount: 0, uniqueKeys: false, logLevel: 'silent' });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw new OpenApiFault(`The document is neither JSON nor YAML: ${reason.slice(0, 200)}`);
  }
}

export function objectOf(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined; // of JSON
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const most_hops = 16;

/** The object itself, or the one to which its `$ref` leads. Throws `OpenApiFault` for a reference to another document, to nothing, and in a circle. */
export function follow({ root }: OpenApiDocument, value: unknown): Json | undefined {
  let found = objectOf(value);
  for (let hops = 0; hops < most_hops; hops++) {
    const ref = found?.['$ref'];
    if (typeof ref !== 'string') return found;
    found = objectOf(at(root, ref));
    if (found === undefined) throw new OpenApiFault(`${shown(ref)} leads to nothing.`);
  }
  throw new OpenApiFault('References lead in a circle.');
}

/** The value at a JSON pointer of this document. */
function at(root: Json, ref: string): unknown {
  if (!ref.startsWith('#/')) throw new OpenApiFault(`${shown(ref)} is in another document; only #/… is read.`);
  let value: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Json)[key]; // proven an object
  }
  return value;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const shown = (ref: string) => JSON.stringify(ref.slice(0, 100));
