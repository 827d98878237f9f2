// Where the parameters of an `http` tool go: into the path of its address, the query, a header or the body.
import { z } from 'zod';

export const parameterPlaces = z.enum(['query', 'header', 'body']);
export type ParameterPlace = z.output<typeof parameterPlaces> | 'path' | 'member of the body';

export interface PlacedTool {
  url?: string | undefined;
  method?: string | undefined;
  places?: Readonly<Record<string, z.output<typeof parameterPlaces>>> | undefined;
}

const placeholder = /\{([^{}/?#]{1,100})\}/g;

/** The names in braces in an address, such as `id` of https://example.com/pets/{id}. */
export function namesInPath(url: string): Set<string> {
  return new Set([...url.matchAll(placeholder)].map(([, name = '']) => name));
}

export function fillPath(url: string, valueOf: (name: string) => string): string {
  return url.replaceAll(placeholder, (_, name: string) => valueOf(name));
}

export function hasBody({ method = 'POST' }: PlacedTool): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** Unset, a parameter goes into the path that names it, else into the query or the JSON object of the body. */
export function placeOf(name: string, tool: PlacedTool): ParameterPlace {
  if (namesInPath(tool.url ?? '').has(name)) return 'path';
  return tool.places?.[name] ?? (hasBody(tool) ? 'member of the body' : 'query');
}

/** The service sets these, or they would change whose request it is or where it ends. */
const ownHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|cookie|authorization|proxy-.*|sec-.*|forwarded|x-forwarded-.*|x-svc-.*|traceparent|tracestate)$/i;

export function isFreeHeader(name: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(name) && !ownHeaders.test(name);
}
