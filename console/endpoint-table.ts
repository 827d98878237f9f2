// The contract's client needs four facts of an endpoint: surface, method, path, and the kinds of body and reply. The schemas of all
// endpoints, with their parsers, are many times larger. The browser gets the facts; the types stay the contract's own.
import type { Plugin } from 'vite';
import type { Endpoint } from '@gantry/contract/endpoint.ts';

const real = /\/contract\/src\/endpoints\.ts$/;

export function endpointTable(): Plugin {
  return {
    name: 'endpoint-table',
    enforce: 'pre',
    async load(id) {
      if (!real.test(id)) return null;
      const { endpoints } = (await import(id)) as { endpoints: Record<string, Endpoint> };
      return `export const endpoints = ${JSON.stringify(Object.fromEntries(Object.entries(endpoints).map(factsOf)))};`;
    },
  };
}

function factsOf([name, { method, path, body, reply }]: [string, Endpoint]): [string, object] {
  const kind = typeof body === 'object' ? {} : body;
  return [name, { method, path, ...(kind !== undefined && { body: kind }), reply: { kind: reply.kind } }];
}
