// The arguments of a call as the request of an `http` tool. Must never happen: an argument that leads to another path or host, adds a header, or goes out without
// a parameter of its name.
import type { z } from 'zod';
import type { tool } from '@gantry/project/asset-config/tool.ts';
import { fillPath, hasBody, namesInPath, placeOf } from '@gantry/project/http-tool/places.ts';
import { Problem } from '@gantry/contract/problems.ts';

export type HttpTool = Omit<z.output<typeof tool>, 'url'> & { url: string };

export interface HttpRequest {
  url: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  body: string | null;
}

/** Throws `arguments_refused`. */
export function buildRequest(tool: HttpTool, args: Readonly<Record<string, unknown>>): HttpRequest {
  const { properties = {} } = tool.parameters;
  const headers: Record<string, string> = { accept: 'application/json, text/*;q=0.5', 'user-agent': 'gantry' };
  const query: [string, string][] = [];
  const members: Record<string, unknown> = Object.create(null) as Record<string, unknown>; // a name can be __proto__
  let whole: { value: unknown } | undefined;
  for (const [name, value] of Object.entries(args)) {
    if (!Object.hasOwn(properties, name)) throw refused(name, 'is no parameter of the tool');
    if (value === undefined || value === null) continue;
    const place = placeOf(name, tool);
    if (place === 'query') for (const one of [value].flat()) query.push([name, printed(one)]);
    else if (place === 'header') headers[name.toLowerCase()] = headerValue(name, value);
    else if (place === 'body') whole = { value };
    else if (place === 'member of the body') members[name] = value;
  }
  const body = !hasBody(tool)
    ? undefined
    : (whole ?? (Object.keys(members).length > 0 ? { value: members } : undefined));
  if (body !== undefined) headers['content-type'] = 'application/json';
  return {
    url: addressOf(tool.url, args, query),
    method: tool.method ?? 'POST',
    headers,
    body: body === undefined ? null : JSON.stringify(body.value),
  };
}

function addressOf(url: string, args: Readonly<Record<string, unknown>>, query: readonly [string, string][]): string {
  const filled = fillPath(url, (name) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (!['string', 'number', 'boolean'].includes(typeof value) || value === '')
      throw refused(name, 'is a part of the path, so it must be a text or a number');
    return encodeURIComponent(String(value).toWellFormed());
  });
  // All else that leads out of a segment is escaped.
  const own = url.split(/[/?#]/);
  for (const [index, part] of filled.split(/[/?#]/).entries())
    if (part !== own[index] && /^(?:\.|%2e){1,2}$/i.test(part))
      throw refused([...namesInPath(url)].join(', '), 'would lead to another path');
  const address = new URL(filled);
  for (const [name, value] of query) address.searchParams.append(name, value);
  return address.href;
}

/** A value of JSON. */
const printed = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function headerValue(name: string, value: unknown): string {
  const text = printed(value);
  if (/^[\x20-\x7e]{0,4000}$/.test(text)) return text.trim();
  throw refused(name, 'goes into a header, so it must be at most 4000 plain characters');
}

function refused(name: string, why: string): Problem {
  return new Problem('arguments_refused', { detail: `${name.slice(0, 200)} ${why}.` });
}
