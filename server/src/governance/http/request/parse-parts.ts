// The path, the query and their refusals. The body has a file of its own (body.ts).
import type { z } from 'zod';
import type { Endpoint } from '@gantry/contract/endpoint.ts';
import { Problem } from '@gantry/contract/problems.ts';
import { requireStorable } from './storable.ts';

// Unknown and repeated query parameters are refused, so no request is half understood.
export function readQuery(endpoint: Endpoint, query: string): Record<string, string> {
  if (query === '') return {};
  const given = [...new URLSearchParams(query)];
  for (const [name] of given) {
    const known = endpoint.query !== undefined && Object.hasOwn(endpoint.query.shape, name);
    if (!known)
      throw new Problem('malformed', {
        detail: `There is no query parameter ${JSON.stringify(name.slice(0, 40))} here.`,
      });
    const times = given.filter(([other]) => other === name).length;
    if (times > 1) throw new Problem('malformed', { detail: `The query parameter ${name} is given ${times} times.` });
  }
  return Object.fromEntries(given);
}

export function parse(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) return undefined;
  const read = schema.safeParse(value);
  if (read.success) {
    requireStorable(read.data, where);
    return read.data;
  }
  // An invalid path matches nothing.
  if (where === '/path') throw new Problem('not_found');
  throw new Problem('invalid', {
    errors: read.error.issues.map((issue) => ({ pointer: `${where}/${issue.path.join('/')}`, message: issue.message })),
  });
}
